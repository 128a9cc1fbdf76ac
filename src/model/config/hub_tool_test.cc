#include "model/config/hub_tool.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "base/issue.h"
#include "base/json.h"
#include "base/json_schema.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_reader.h"

namespace agenttalk {
namespace {

// The errors of a configuration with this tool, one a line.
std::string ToolErrors(const std::string& tool, const std::string& agents = "{}") {
  std::string text;
  for (const Issue& issue : ParseHubConfig("tools: " + tool + "\nagents: " + agents).issues.errors)
    text += issue.path + ": " + issue.message + (issue.hint.empty() ? "" : " (" + issue.hint + ")") + "\n";
  return text;
}

std::string Filled(const std::vector<std::string>& command, const std::string& arguments) {
  const auto filled = FillCommand(command, boost::json::parse(arguments).as_object());
  if (!filled) return "error: " + filled.error().message;
  std::string text;
  for (const std::string& part : *filled) text += "[" + part + "]";
  return text;
}

TEST(HubTool, IsReadAndWrittenAgain) {
  const auto config = ParseHubConfig(R"(
tools:
  word_count:
    description: Counts words.
    command: [python3, tools/count.py, "--mode={mode}", "{path}"]
    schema: {type: object, required: [path], properties: {path: {type: string}, mode: {enum: [a, b]}}}
    timeout: 30s
    env: [API_KEY]
    network: true
    max_output_bytes: 5000
agents:
  ann: {prompt: Counts., tools: [word_count, "word_*"]}
)");
  ASSERT_TRUE(config) << ToText(config.issues.errors);
  const HubToolConfig& tool = config->tools.at("word_count");
  EXPECT_TRUE(tool.network);
  EXPECT_FALSE(tool.MayRepeat()) << "it may have reached anything";
  EXPECT_TRUE(tool.HasPlaceholders());
  EXPECT_TRUE(tool.UsesToolsFolder());
  const auto again = ParseHubConfig(PrettyJson(ToJson(*config)));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *config);
}

TEST(HubTool, WithoutNetworkItMayBeRepeatedUnlessItSaysNo) {
  HubToolConfig tool;
  EXPECT_TRUE(tool.MayRepeat());
  tool.idempotent = false;
  EXPECT_FALSE(tool.MayRepeat());
  tool = {};
  tool.network = true;
  EXPECT_FALSE(tool.MayRepeat());
  tool.idempotent = true;
  EXPECT_TRUE(tool.MayRepeat());
}

TEST(HubTool, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_EQ(ToolErrors("{t: {description: D, command: [wc], tiemout: 5}}"),
            "/tools/t/tiemout: the field \"tiemout\" is not known (did you mean \"timeout\"?)\n");
  EXPECT_EQ(ToolErrors("{t: {command: [wc]}}"),
            "/tools/t/description: \"description\" is missing (what the tool does, for the model)\n");
  EXPECT_NE(ToolErrors("{t: {description: D, command: wc -w}}").find("command: [program, argument, …]"),
            std::string::npos);
  EXPECT_EQ(ToolErrors("{read_file: {description: D, command: [wc]}}"),
            "/tools/read_file: \"read_file\" comes with the program (give your tool another name)\n");
  EXPECT_NE(ToolErrors("{a.b: {description: D, command: [wc]}}"), "");
  EXPECT_NE(ToolErrors("{mcp__a__b: {description: D, command: [wc]}}"), "");
  EXPECT_EQ(ToolErrors("{t: {description: D, command: [wc, \"{pth}\"], schema: {type: object, properties: "
                       "{path: {type: string}}}}}"),
            "/tools/t/command: there is no argument \"pth\" (did you mean \"path\"?)\n"
            "/tools/t/command: the argument \"path\" is not used (write {path} where it belongs; a command "
            "without any gets "
            "all arguments as JSON on its standard input)\n");
  EXPECT_EQ(
      ToolErrors("{t: {description: D, command: [\"{p}\"], schema: {type: object, properties: {p: {}}}}}"),
      "/tools/t/command: the program cannot be an argument (arguments come after the program)\n");
  EXPECT_EQ(ToolErrors("{t: {description: D, command: [wc], network: [example.com]}}"),
            "/tools/t/network: a list of hosts is not supported (true: the whole network; false: none)\n");
  EXPECT_EQ(ToolErrors("{t: {description: D, command: [wc], env: [PATH]}}"),
            "/tools/t/env: PATH is set by the sandbox (leave it out)\n");
  EXPECT_NE(ToolErrors("{t: {description: D, command: [wc], env: [\"A=b\"]}}"), "");
  EXPECT_NE(ToolErrors("{t: {description: D, command: [wc], timeout: 2d}}"), "");
  EXPECT_EQ(ToolErrors("{count: {description: D, command: [wc]}}", "{ann: {prompt: P, tools: [cuont]}}"),
            "/agents/ann/tools: there is no tool \"cuont\" (did you mean \"count\"?)\n");
}

// Nobody but us checks the arguments of these tools.
TEST(HubTool, ASchemaThatCannotBeCheckedIsRefused) {
  const auto with = [](const std::string& schema) {
    return ToolErrors("{t: {description: D, command: [wc], schema: " + schema + "}}");
  };
  EXPECT_EQ(with("{type: object, properties: {a: {type: strin}}}"),
            "/tools/t/schema/properties/a/type: must be null, boolean, object, array, number, string, "
            "integer, or a list of these (write what JSON Schema 2020-12 allows there)\n");
  EXPECT_EQ(with("{type: object, properties: {a: {$ref: \"https://example.com/a\"}}}"),
            "/tools/t/schema/properties/a/$ref: arguments cannot be checked by this: "
            "\"https://example.com/a\" leads out of "
            "the schema, which nothing is fetched for (say it in other words of JSON Schema 2020-12)\n");
  EXPECT_EQ(
      with("{type: object, propertis: {}}"),
      "/tools/t/schema/propertis: JSON Schema has no keyword \"propertis\" (did you mean \"properties\"?)\n");
  EXPECT_NE(with("{type: array}"), "");
  EXPECT_NE(with("[]"), "");
}

TEST(HubTool, ArgumentsGoWhereTheCommandNamesThem) {
  EXPECT_EQ(Filled({"wc", "{path}"}, R"({"path":"inputs/a b"})"), "[wc][inputs/a b]");
  EXPECT_EQ(Filled({"wc", "--mode={mode}", "{path}"}, R"({"path":"a"})"), "[wc][a]");
  EXPECT_EQ(Filled({"wc", "{files}"}, R"({"files":["a","b"]})"), "[wc][a][b]");
  EXPECT_EQ(Filled({"wc", "{n}", "{flag}", "{o}"}, R"({"n":-5,"flag":true,"o":{"a":1}})"),
            R"([wc][-5][true][{"a":1}])");
  EXPECT_EQ(Filled({"awk", "{print $1}", "{{path}}"}, "{}"), "[awk][{print $1}][{path}]");
  EXPECT_EQ(Filled({"wc", "{path}"}, R"({"path":null})"), "[wc]");
}

// A model, or whoever wrote what it read, must not turn a value into an option of the program.
TEST(HubTool, AValueIsNeverAnOption) {
  EXPECT_EQ(Filled({"curl", "{url}"}, R"({"url":"--upload-file=inputs/a"})"),
            "error: the argument \"url\" must not begin with \"-\": the program could take it for an option");
  EXPECT_EQ(
      Filled({"curl", "{urls}"}, R"({"urls":["a","-o"]})"),
      "error: the argument \"urls\" must not begin with \"-\": the program could take it for an option");
  EXPECT_EQ(Filled({"grep", "--", "{text}"}, R"({"text":"-v"})"), "[grep][--][-v]");
  EXPECT_EQ(Filled({"grep", "--regexp={text}"}, R"({"text":"-v"})"), "[grep][--regexp=-v]");
  EXPECT_EQ(Filled({"wc", "{path}"}, "{\"path\":\"a\\u0000b\"}"),
            "error: an argument contains a NUL character");
}

}  // namespace
}  // namespace agenttalk
