#include "model/command/message.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/reading/brief_issues.h"
#include "model/reading/checked.h"

namespace agenttalk {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

std::string Full(const std::string& result) {
  return R"({"message_id":"msg_cmd_1","plan_id":"plan_a","command_id":"cmd_1","from":"a","to":"b","content":"done",)"
         R"("result":)" +
         result + R"(,"score":85.5,"outputs":[{"name":"o.md","sha256":")" + kHash +
         R"("}],"hops":2,"sent_at":"2026-11-15T12:01:41.5Z"})";
}

TEST(Message, ReadsEveryFieldAndWritesItBack) {
  for (const std::string result :
       {R"("text")", R"({"k":[1,2]})", "12", "null", R"("{\"not\":\"parsed\"}")"}) {
    const Checked<Message> message = ParseMessage(Full(result));
    ASSERT_TRUE(message) << Brief(message.issues.errors).front();
    EXPECT_EQ(message->score, 85.5);
    EXPECT_EQ(message->outputs[0].sha256.Hex(), kHash);
    const Checked<Message> again = ParseMessage(CanonicalJson(ToJson(*message)));
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *message);
  }
}

TEST(Message, TellsATextFromOtherJson) {
  EXPECT_EQ(ParseMessage(Full(R"("12")"))->result, (MessageResult{.text = "12", .is_json = false}));
  EXPECT_EQ(ParseMessage(Full("12"))->result, (MessageResult{.text = "12", .is_json = true}));
}

TEST(Message, NeedsWhoWhereAndWhat) {
  EXPECT_EQ(Brief(ParseMessage("{}").issues.errors),
            (Lines{"FIELD_MISSING /message_id", "PLAN_ID_MISSING /plan_id", "FIELD_MISSING /from",
                   "FIELD_MISSING /to", "FIELD_MISSING /content"}));
}

TEST(Message, RefusesWhatCannotBe) {
  const Checked<Message> message = ParseMessage(
      R"({"message_id":"m","plan_id":"p","from":"a/b","to":"b","content":"","score":101,"hops":-1,
          "outputs":[{"name":"..","sha256":"12"}],"sent_at":"yesterday"})");
  EXPECT_EQ(Brief(message.issues.errors),
            (Lines{"NAME_UNSAFE /from", "VALUE_INVALID /score", "NAME_UNSAFE /outputs/0/name",
                   "VALUE_INVALID /outputs/0/sha256", "VALUE_INVALID /hops", "VALUE_INVALID /sent_at"}));
}

}  // namespace
}  // namespace agenttalk
