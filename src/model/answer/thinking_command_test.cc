#include "model/answer/thinking_command.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"

namespace agenttalk {
namespace {

struct Reading {
  std::vector<ThinkingCommand> commands;
  Issues issues;
};

Reading ReadBatch(const std::string& text) {
  Reading reading;
  reading.commands = ReadThinkingCommands(boost::json::parse(text), "/commands", reading.issues);
  return reading;
}

TEST(ThinkingCommand, ReadsNamesAndArguments) {
  const Reading reading =
      ReadBatch(R"([{"command_name":"reset_task","args":{"task_id":"1"}},{"command_name":"pass"}])");
  EXPECT_TRUE(reading.issues.ok());
  EXPECT_EQ(reading.commands,
            (std::vector<ThinkingCommand>{{"reset_task", R"({"task_id":"1"})"}, {"pass", "{}"}}));
  EXPECT_EQ(ThinkingCommandsText(reading.commands),
            R"([{"args":{"task_id":"1"},"command_name":"reset_task"},{"args":{},"command_name":"pass"}])");
}

TEST(ThinkingCommand, ReportsEverythingThatIsWrongWhereItIs) {
  const Reading reading =
      ReadBatch(R"([7,{"args":{}},{"command_name":1},{"command_name":" "},{"command_name":"pass","args":[]},)"
                R"({"command_name":"pass","arguments":{}}])");
  std::vector<std::string> found;
  for (const Issue& issue : reading.issues.errors) {
    found.push_back(std::string(ToString(issue.code)) + " " + issue.path);
  }
  EXPECT_EQ(found, (std::vector<std::string>{
                       "TYPE_MISMATCH /commands/0", "FIELD_MISSING /commands/1/command_name",
                       "TYPE_MISMATCH /commands/2/command_name", "VALUE_INVALID /commands/3/command_name",
                       "TYPE_MISMATCH /commands/4/args", "UNKNOWN_FIELD /commands/5"}));
}

TEST(ThinkingCommand, RefusesTenThousandAtOnceWithoutReadingThem) {
  std::string text = "[";
  for (int i = 0; i < 10000; ++i) text += R"({"command_name":"pass"},)";
  text.back() = ']';
  const Reading reading = ReadBatch(text);
  ASSERT_EQ(reading.issues.errors.size(), 1U);
  EXPECT_EQ(reading.issues.errors.front().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(reading.commands.empty());
}

TEST(ThinkingCommand, RefusesArgumentsThatAreTooLong) {
  const std::string text(kLongestThinkingArgs, 'x');
  EXPECT_EQ(
      ReadBatch(R"([{"command_name":"pass","args":{"a":")" + text + R"("}}])").issues.errors.front().code,
      ErrorCode::kTooLarge);
  std::string many = "[";
  for (int i = 0; i < 20; ++i) {
    many += R"({"command_name":"pass","args":{"a":")" + text.substr(100) + R"("}},)";
  }
  many.back() = ']';
  EXPECT_EQ(ReadBatch(many).issues.errors.front().path, "/commands");
}

TEST(ThinkingCommand, RefusesWhatIsNoList) {
  EXPECT_EQ(ReadBatch("{}").issues.errors.front().code, ErrorCode::kTypeMismatch);
}

}  // namespace
}  // namespace agenttalk
