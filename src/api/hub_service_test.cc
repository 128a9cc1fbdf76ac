#include "api/hub_service.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/temp_hub.h"
#include "runtime/hub.h"

// What can be asked of a hub, without a socket between.
namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kConfig = R"(
version: 1
provider: offline
providers:
  offline: {kind: scripted, answers: answers.yaml}
agents:
  ann: {prompt: You are Ann.}
  bob: {prompt: You are Bob.}
)";

constexpr const char* kTwoTasks = R"([
  {"command_name": "append_task", "args":
     {"task_id": "a", "dependent_task_ids": [], "instruction": "Do a.", "assignee": "ann"}},
  {"command_name": "append_task", "args":
     {"task_id": "b", "dependent_task_ids": ["a"], "instruction": "Do b.", "assignee": "bob"}}])";

class HubServiceTest : public testing::Test {
 protected:
  HubServiceTest() {
    files_.Write("agenttalk.yaml", kConfig);
    files_.Write("answers.yaml", "- answer: {result: done}\n");
  }

  // Asks a hub of its own, which ends when there is an answer.
  Result<json::value> Ask(std::string_view method, const json::object& parameters,
                          HubMode mode = HubMode::kControl) {
    HubOptions options;
    options.mode = mode;
    const std::unique_ptr<Hub> hub = TRY(Hub::Open(files_.root(), std::move(options)));
    HubService service(*hub);
    std::optional<Result<json::value>> answer;
    const auto take = [&](Result<json::value> result) { answer = std::move(result); };
    if (mode == HubMode::kRead) {
      service.Call(method, parameters, take);
      return *std::move(answer);
    }
    bool asked = false;
    TRY(hub->ServeUntil([&] {
      if (!std::exchange(asked, true)) service.Call(method, parameters, take);
      return answer.has_value();
    }));
    return *std::move(answer);
  }
  std::string CodeOf(std::string_view method, const json::object& parameters) {
    const auto answer = Ask(method, parameters);
    return answer ? "answered " + json::serialize(*answer) : std::string(ToString(answer.error().code));
  }

  TempHub files_;
};

TEST_F(HubServiceTest, WhatThereIsNotIsNotFound) {
  EXPECT_EQ(CodeOf("plan/explode", {}), "NOT_FOUND");
  EXPECT_FALSE(HubService::IsReading("plan/explode").has_value());
}

TEST_F(HubServiceTest, KnowsWhatNeedsNoPossession) {
  EXPECT_TRUE(*HubService::IsReading("status"));
  EXPECT_TRUE(*HubService::IsReading("events"));
  EXPECT_FALSE(*HubService::IsReading("plan/apply"));
  EXPECT_FALSE(*HubService::IsReading("say"));
}

TEST_F(HubServiceTest, ParametersAreHeldToTheirForm) {
  EXPECT_EQ(CodeOf("status", {}), "FIELD_MISSING");
  EXPECT_EQ(CodeOf("status", {{"plan_id", 7}}), "TYPE_MISMATCH");
  EXPECT_EQ(CodeOf("status", {{"plan_id", "../plan"}}), "NAME_UNSAFE");
  EXPECT_EQ(CodeOf("status", {{"plan_id", "plan_none"}}), "PLAN_UNKNOWN");
  EXPECT_EQ(CodeOf("events", {{"after", "yesterday"}}), "TYPE_MISMATCH");
  EXPECT_EQ(CodeOf("events", {{"after", -1}}), "TYPE_MISMATCH");
  EXPECT_EQ(CodeOf("plan/apply", {{"plan_id", "plan_a"}}), "FIELD_MISSING");
}

TEST_F(HubServiceTest, ARefusedBatchTellsEverythingThatIsWrongAndChangesNothing) {
  const json::value commands = json::parse(R"([
    {"command_name": "append_task", "args": {"task_id": "a", "dependent_task_ids": ["z"], "instruction": "x",
                                             "assignee": "nobody"}},
    {"command_name": "explode", "args": {}}])");
  const auto answer = Ask("plan/apply", {{"plan_id", "plan_a"}, {"commands", commands}});
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->at("errors").as_array().size(), 3U) << json::serialize(*answer);
  EXPECT_EQ(CodeOf("plan/show", {{"plan_id", "plan_a"}}), "PLAN_UNKNOWN");
}

TEST_F(HubServiceTest, ReadersAreToldOnlyWhatIsDurable) {
  HubOptions options;
  options.mode = HubMode::kControl;
  const auto hub = Hub::Open(files_.root(), std::move(options));
  ASSERT_TRUE(hub.has_value());
  HubService service(**hub);
  bool applied = false;
  std::optional<Result<json::value>> told;
  const auto begin = [&] {
    service.Call("plan/apply", {{"plan_id", "plan_a"}, {"commands", json::parse(kTwoTasks)}},
                 [&](const Result<json::value>& answer) { applied = answer.has_value(); });
    service.Call("plan/show", {{"plan_id", "plan_a"}}, [&](Result<json::value> answer) {
      EXPECT_TRUE(applied);
      told = std::move(answer);
    });
    EXPECT_FALSE(told.has_value()) << "the plan is there, and not recorded yet";
  };
  bool asked = false;
  ASSERT_TRUE((*hub)->ServeUntil([&] {
    if (!std::exchange(asked, true)) begin();
    return told.has_value();
  }));
  ASSERT_TRUE(told->has_value());
  EXPECT_EQ((**told).at("tasks").as_array().size(), 2U) << json::serialize(**told);
}

TEST_F(HubServiceTest, TheSameRequestAgainIsAnsweredAndNotDoneTwice) {
  const json::object request{
      {"plan_id", "plan_a"}, {"commands", json::parse(kTwoTasks)}, {"client_id", "client-1"}};
  const auto first = Ask("plan/apply", request);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->at("revision"), 1);
  const auto again = Ask("plan/apply", request);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(*again, *first);
  json::object other = request;
  other["client_id"] = "client-2";
  const auto refused = Ask("plan/apply", other);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->at("error").at("code"), "TASK_ID_DUPLICATE") << "another request is another batch";
}

TEST_F(HubServiceTest, WhatWasAcknowledgedIsThereForWhoeverReads) {
  ASSERT_TRUE(Ask("plan/apply", {{"plan_id", "plan_a"}, {"commands", json::parse(kTwoTasks)}}).has_value());
  const auto status = Ask("status", {{"plan_id", "plan_a"}}, HubMode::kRead);
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(status->at("state"), "paused");
  const auto plans = Ask("plans", {}, HubMode::kRead);
  ASSERT_EQ(plans->as_array().size(), 1U);
  EXPECT_EQ(plans->at(0).at("tasks_total"), 2);
}

TEST_F(HubServiceTest, EventsComeInOrderByPlanAndNoMoreThanAskedFor) {
  for (const char* plan : {"plan_a", "plan_b"}) {
    ASSERT_TRUE(Ask("plan/apply", {{"plan_id", plan}, {"commands", json::parse(kTwoTasks)}}).has_value());
  }
  const auto all = Ask("events", {{"after", 0}}, HubMode::kRead);
  ASSERT_TRUE(all.has_value()) << all.error().message;
  std::uint64_t last = 0;
  for (const json::value& event : all->at("events").as_array()) {
    EXPECT_EQ(event.at("seq").to_number<std::uint64_t>(), ++last);
  }
  EXPECT_EQ(all->at("last").to_number<std::uint64_t>(), last);
  const auto some = Ask("events", {{"after", 0}, {"plan_id", "plan_b"}}, HubMode::kRead);
  ASSERT_FALSE(some->at("events").as_array().empty());
  for (const json::value& event : some->at("events").as_array()) EXPECT_EQ(event.at("plan_id"), "plan_b");
  // Page by page, each beginning where the last one ended, comes to the same.
  std::size_t seen = 0;
  std::uint64_t after = 0;
  while (after < last) {
    const auto page = Ask("events", {{"after", after}, {"limit", 2}}, HubMode::kRead);
    ASSERT_FALSE(page->at("events").as_array().empty());
    seen += page->at("events").as_array().size();
    after = page->at("last").to_number<std::uint64_t>();
  }
  EXPECT_EQ(seen, last);
}

TEST_F(HubServiceTest, NothingIsBegunByAHubThatOnlyRecords) {
  ASSERT_TRUE(Ask("plan/apply", {{"plan_id", "plan_a"}, {"commands", json::parse(kTwoTasks)}}).has_value());
  ASSERT_TRUE(Ask("resume", {{"plan_id", "plan_a"}}).has_value());
  const auto status = Ask("status", {{"plan_id", "plan_a"}}, HubMode::kRead);
  EXPECT_EQ(status->at("state"), "running");
  const auto events = Ask("events", {{"after", 0}, {"plan_id", "plan_a"}}, HubMode::kRead);
  for (const json::value& event : events->at("events").as_array()) {
    EXPECT_NE(event.at("type"), "model_call_intended");
  }
}

}  // namespace
}  // namespace agenttalk
