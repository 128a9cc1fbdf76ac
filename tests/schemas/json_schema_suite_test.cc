#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/json_schema.h"
#include "schemas/corpus.h"

// The official JSON Schema test suite for 2020-12, as Debian's libtest-json-schema-acceptance-perl has it.
// Every test is decided rightly, or its schema has a part that JsonSchema says it does not check. The counts
// of each file are in json_schema_suite.txt; the table must be exact.
namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

const fs::path kAcceptance = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests";
const fs::path kTable = fs::path(AGENTTALK_SOURCE_DIR) / "tests/schemas/json_schema_suite.txt";

struct Tally {
  std::size_t right = 0;
  std::size_t said = 0;              // not checked, and said so
  std::set<std::string> wrong = {};  // and not said
};

// Older tests do not say what they are written in.
json::value InDialect(json::value schema, const std::string& dialect) {
  if (schema.is_object() && !schema.get_object().contains("$schema"))
    schema.get_object()["$schema"] = dialect;
  return schema;
}

Tally TallyOf(const fs::path& file, const std::string& dialect) {
  Tally tally;
  const json::value groups = json::parse(ReadFile(file));
  for (const json::value& group : groups.as_array()) {
    const auto schema = JsonSchema::Load(InDialect(group.at("schema"), dialect));
    for (const json::value& test : group.at("tests").as_array()) {
      if (schema && !schema->gaps().empty()) {
        ++tally.said;
      } else if (schema && schema->Check(test.at("data")).empty() == test.at("valid").as_bool()) {
        ++tally.right;
      } else {
        tally.wrong.insert(Text(group.at("description")) + ": " + Text(test.at("description")) +
                           (schema ? "" : " (" + schema.error().message + ")"));
      }
    }
  }
  return tally;
}

// Formats and contents only describe, unless somebody asks for more.
bool OnlyDescribes(const std::string& name) {
  return name.starts_with("optional/format") || name == "optional/content.json";
}

std::string Table(const std::string& draft, const std::string& dialect) {
  std::map<std::string, Tally> tallies;
  for (const auto& entry : fs::recursive_directory_iterator(kAcceptance / draft)) {
    const std::string name = fs::relative(entry.path(), kAcceptance / draft).string();
    if (entry.path().extension() == ".json" && !OnlyDescribes(name))
      tallies[name] = TallyOf(entry.path(), dialect);
  }
  std::ostringstream table;
  Tally sum;
  std::size_t wrong = 0;
  for (const auto& [name, tally] : tallies) {
    table << draft << " " << name << ": right " << tally.right << ", said " << tally.said << ", wrong "
          << tally.wrong.size() << "\n";
    for (const std::string& test : tally.wrong) table << "  wrong: " << test << "\n";
    sum.right += tally.right;
    sum.said += tally.said;
    wrong += tally.wrong.size();
  }
  table << draft << ", all: right " << sum.right << ", said " << sum.said << ", wrong " << wrong << "\n";
  return table.str();
}

TEST(JsonSchemaSuite, EveryTestIsDecidedRightlyOrSaidNotToBeChecked) {
  if (!fs::exists(kAcceptance)) GTEST_SKIP() << "libtest-json-schema-acceptance-perl is not installed";
  const std::string table = Table("draft2020-12", "https://json-schema.org/draft/2020-12/schema") +
                            Table("draft7", "http://json-schema.org/draft-07/schema#");
  const fs::path made = fs::temp_directory_path() / "json_schema_suite.txt";
  std::ofstream(made) << table;
  EXPECT_EQ(table.find("wrong: "), std::string::npos) << table;
  EXPECT_EQ(table, ReadFile(kTable)) << "the results of this run: " << made;
}

}  // namespace
}  // namespace agenttalk
