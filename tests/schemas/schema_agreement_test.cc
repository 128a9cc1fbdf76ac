#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <expected>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "base/json.h"
#include "model/document.h"
#include "model/reading/yaml_document.h"
#include "schemas/corpus.h"
#include "schemas/schema_validator.h"

// The schemas are for other people's tools, the validators are ours: on every document both must say the
// same, except where the manifest gives the reason why a schema cannot.
namespace agenttalk {
namespace {

const std::map<DocumentKind, std::string>& SchemaFiles() {
  static const std::map<DocumentKind, std::string> kFiles{
      {DocumentKind::kCommand, "command.json"},     {DocumentKind::kDag, "task_dag.json"},
      {DocumentKind::kPlan, "plan.json"},           {DocumentKind::kProfile, "agent_profile.json"},
      {DocumentKind::kConfig, "config.json"},       {DocumentKind::kMessage, "message.json"},
      {DocumentKind::kOutput, "agent_output.json"}, {DocumentKind::kSop, "sop.json"},
  };
  return kFiles;
}

SchemaValidator LoadSchema(const std::string& file) {
  std::ifstream stream(std::filesystem::path(AGENTTALK_SOURCE_DIR) / "schemas" / file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return SchemaValidator::Load(boost::json::parse(text)).value();
}

boost::json::value Value(const CorpusEntry& entry) {
  const bool is_yaml = entry.kind == DocumentKind::kPlan || entry.kind == DocumentKind::kConfig ||
                       entry.kind == DocumentKind::kSop;
  return is_yaml ? ParseYaml(entry.text).value().root() : ParseJson(entry.text).value();
}

TEST(SchemaAgreement, SchemasAndValidatorsGiveTheSameVerdict) {
  std::map<DocumentKind, SchemaValidator> schemas;
  for (const auto& [kind, file] : SchemaFiles()) schemas.emplace(kind, LoadSchema(file));
  for (const CorpusEntry& entry : Corpus()) {
    if (entry.schema == "unasked") continue;
    const auto verdict = schemas.at(entry.kind).Validate(Value(entry));
    EXPECT_EQ(verdict.has_value() ? "accepts" : "refuses", entry.schema) << entry.file << "\n"
                                                                         << (verdict ? "" : verdict.error());
  }
}

TEST(SchemaAgreement, EveryExceptionHasItsReason) {
  for (const CorpusEntry& entry : Corpus()) {
    const bool is_exception = entry.schema == "accepts" && !entry.codes.empty();
    EXPECT_EQ(is_exception, !entry.why.empty()) << entry.file;
  }
}

}  // namespace
}  // namespace agenttalk
