#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "schemas/corpus.h"
#include "schemas/schema_validator.h"

// Debian's copy of the official JSON Schema test suite, so that our schemas stay inside what the validator
// gets right. What it gets wrong is listed in known_failures.txt; the list must be exact in both directions.
namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

const fs::path kSuite = "/usr/share/json-schema-test-suite";

// Adds "file: group: test" for every test whose verdict is not the expected one, and counts them all.
void RunFile(const fs::path& file, std::set<std::string>& failures, std::size_t& count) {
  const std::string name = fs::relative(file, kSuite / "tests/draft7").string();
  const json::value groups = json::parse(ReadFile(file));
  for (const json::value& group : groups.as_array()) {
    const auto schema = SchemaValidator::Load(group.at("schema"), (kSuite / "remotes").string());
    for (const json::value& test : group.at("tests").as_array()) {
      ++count;
      const bool valid = schema && schema->Validate(test.at("data")).has_value();
      if (schema && valid == test.at("valid").as_bool()) continue;
      failures.insert(name + ": " + Text(group.at("description")) + ": " + Text(test.at("description")));
    }
  }
}

std::set<std::string> KnownFailures() {
  std::set<std::string> known;
  std::ifstream stream(fs::path(AGENTTALK_SOURCE_DIR) / "tests/schemas/known_failures.txt");
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.front() != '#') known.insert(line);
  }
  return known;
}

std::string Difference(const std::set<std::string>& from, const std::set<std::string>& without) {
  std::string lines;
  for (const std::string& line : from) {
    if (!without.contains(line)) lines += line + "\n";
  }
  return lines;
}

TEST(SchemaSuite, TheValidatorFailsExactlyWhereItIsKnownTo) {
  if (!fs::exists(kSuite)) GTEST_SKIP() << "json-schema-test-suite is not installed";
  std::set<std::string> failures;
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSuite / "tests/draft7")) {
    if (entry.path().extension() == ".json") RunFile(entry.path(), failures, count);
  }
  EXPECT_GE(count, 566U);
  EXPECT_EQ(Difference(failures, KnownFailures()), "") << "new failures";
  EXPECT_EQ(Difference(KnownFailures(), failures), "") << "fails no longer: take it off the list";
}

}  // namespace
}  // namespace agenttalk
