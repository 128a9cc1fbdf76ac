#include "runtime/calls/call_desk.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/redact.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "llm/model_provider.h"
#include "model/config/hub_config.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "runtime/core/core.h"
#include "runtime/core/core_fixture.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

using namespace std::chrono_literals;

// Keeps what it is asked until the test replies.
class AskedProvider final : public ModelProvider {
 public:
  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override {
    class Call final : public ModelCall {
     public:
      explicit Call(AskedProvider& provider) : provider_(provider), waits_(provider.waits) {}
      ~Call() override { ++provider_.ended; }
      Call(const Call&) = delete;
      Call& operator=(const Call&) = delete;
      [[nodiscard]] bool waits() const override { return waits_; }
      void Withdraw() override { ++provider_.withdrawn; }

     private:
      AskedProvider& provider_;
      const bool waits_;
    };
    requests.push_back(std::move(request));
    replies.push_back(std::move(done));
    return std::make_unique<Call>(*this);
  }
  void MayHaveAsked(std::uint64_t tokens) override { earlier.push_back(tokens); }

  std::vector<ModelRequest> requests;
  std::vector<Done> replies;
  std::vector<std::uint64_t> earlier;
  std::size_t ended = 0;  // calls that were destroyed, answered or not
  std::size_t withdrawn = 0;
  bool waits = false;  // calls that are asked for now are not sent yet
};

class OneTool final : public ToolRunner {
 public:
  [[nodiscard]] std::vector<ToolSpec> ToolsOf(const AgentId& /*agent*/) const override {
    return {{"look", "Looks.", "{}"}};
  }
  [[nodiscard]] std::optional<Error> Refuse(const AgentId& /*agent*/, const ToolCall& call) const override {
    if (call.name == "look") return std::nullopt;
    return Error{ErrorCode::kPermissionDenied, "there is no tool " + call.name, {}};
  }
  [[nodiscard]] bool IsIdempotent(const std::string& /*tool*/) const override { return true; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(ToolInvocation invocation, Done done) override {
    run.push_back(std::move(invocation));
    done({"", Error{ErrorCode::kToolFailed, "too dark", {}}});
    return nullptr;
  }
  std::vector<ToolInvocation> run;
};

class PromptComposer final : public RequestComposer {
 public:
  Result<Composed> Compose(const PlanState& plan, const CommandRecord& record, const AgentSettings& /*agent*/,
                           std::uint32_t model_call, const Keep& /*keep*/) override {
    told.clear();
    for (const ToolOutput& output : record.execution->tool_outputs) {
      told.push_back(output.tool + ": " + std::string(ToString(output.error.value_or(ErrorCode::kInternal))));
    }
    StoredRequest request;
    request.ids = {record.agent, plan.id, record.task, record.id, Stage::kCommand, model_call};
    request.provider = provider;
    request.messages.push_back({Role::kUser, {{prompt, {}, {}}}, {}, {}, false});
    const Digest key = Sha256(record.id.str() + std::to_string(model_call));
    return Composed{EncodeRequest(request), key, Cost{70, 30, 0}};
  }
  std::string provider = "here";
  std::string prompt = "do it";
  std::vector<std::string> told;  // what came of the tools, when the last request was made
};

ModelAnswer Says(std::string text, StopReason reason = StopReason::kEnd) {
  ModelAnswer answer;
  answer.text = std::move(text);
  answer.stop_reason = reason;
  answer.usage = {1000, 100, 0, 0};
  return answer;
}

class CallDeskTest : public CoreTest {
 protected:
  CallDeskTest() { Boot(); }

  void Boot() {
    desk_.reset();
    core_.reset();
    commits_.waiting.clear();
    epoch_ = *journal_.BeginEpoch();
    provider_ = std::make_shared<AskedProvider>();
    core_ = std::make_unique<Core>(journal_, commits_, clock_);
    ProviderSet providers;
    providers.entries["here"].provider = provider_;
    providers.entries["here"].price.fixed = TokenPrices{2, 10, {}, {}};
    desk_ = std::make_unique<CallDesk>(*core_, std::move(providers), tools_, clock_);
    core_->Connect(composer_, *desk_, nullptr);
    ASSERT_TRUE(core_->Start(epoch_, "test").has_value());
    Configuration configuration;
    for (const char* agent : {"alice", "bob"}) configuration.agents[AgentId(agent)].profile = "{}";
    core_->Submit(std::move(configuration));
    Settle();
  }
  void Settle() {
    while (core_->has_posted() || !commits_.waiting.empty()) {
      core_->RunPosted();
      const std::vector<Append> batch = std::exchange(commits_.waiting, {});
      if (batch.empty()) continue;
      ASSERT_TRUE(journal_.Commit(batch, epoch_).has_value());
      core_->Committed(LastEventOf(batch));
    }
  }
  void Send(const std::string& id, std::uint32_t retry_times = 0, const std::string& agent = "alice") {
    CommandFile file = MakeCommand(id, {}, agent);
    file.command.retry_times = retry_times;
    core_->Submit(std::move(file));
    Settle();
  }
  void Reply(std::size_t call, ModelOutcome outcome, Duration after = {}) {
    const auto done = provider_->replies.at(call);
    done({std::move(outcome), after});
    Settle();
  }
  const CommandRecord& Record(const std::string& id) {
    return *core_->FindLoaded(PlanId("plan_a"))->Find(CommandId(id));
  }
  std::string ResultOf(const std::string& id) {
    const auto bytes = core_->contents().Load(Record(id).outcome->result);
    return bytes ? **bytes : bytes.error().message;
  }

  HeldCommits commits_;
  PromptComposer composer_;
  OneTool tools_;
  std::shared_ptr<AskedProvider> provider_;
  std::unique_ptr<Core> core_;
  std::unique_ptr<CallDesk> desk_;
};

TEST_F(CallDeskTest, AnAnswerIsReadAndPaidFor) {
  Send("cmd_1");
  ASSERT_EQ(provider_->requests.size(), 1U);
  EXPECT_EQ(provider_->requests[0].messages.at(0).text, "do it");
  EXPECT_EQ(desk_->in_flight(), 1U);
  Reply(0, Says(R"(Here it is: {"result":"done"})"));
  EXPECT_EQ(Record("cmd_1").state, CommandState::kSucceeded);
  EXPECT_EQ(ResultOf("cmd_1"), "done");
  EXPECT_EQ(desk_->in_flight(), 0U);
  const Cost& spent = core_->FindLoaded(PlanId("plan_a"))->spent;
  EXPECT_EQ(spent.input_tokens, 1000U);
  EXPECT_EQ(spent.micro_usd, 3000U) << "1000 tokens at 2 and 100 at 10 dollars a million";
}

TEST_F(CallDeskTest, ACallThatWaitsIsNotMadeWhenOutcomesUseTheBudgetUpThatAreNotRecordedYet) {
  Configuration configuration;
  for (const char* agent : {"alice", "bob", "carol"}) configuration.agents[AgentId(agent)].profile = "{}";
  configuration.hub.budget_tokens = 3350;
  core_->Submit(std::move(configuration));
  Send("cmd_1");
  Send("cmd_2", 0, "bob");
  provider_->waits = true;
  Send("cmd_3", 0, "carol");
  ASSERT_EQ(provider_->replies.size(), 3U);
  const auto reply = [&](std::size_t call, std::uint64_t output_tokens) {
    ModelAnswer answer = Says(R"({"result":"done"})");
    answer.usage.output_tokens = output_tokens;
    provider_->replies.at(call)({std::move(answer), {}});
  };
  reply(0, 100);
  EXPECT_EQ(provider_->withdrawn, 0U) << "1,100 for each of three";
  // Both outcomes count, 2,400 together; and what 1,300 were taken for will be taken for the third, too.
  reply(1, 300);
  EXPECT_EQ(provider_->withdrawn, 1U);
  Settle();
  EXPECT_EQ(Record("cmd_2").state, CommandState::kSucceeded);
  EXPECT_EQ(Record("cmd_3").state, CommandState::kWaitingHuman) << "a person is asked to raise the budget";
}

TEST_F(CallDeskTest, WhatCannotBeAskedFailsWithItsReason) {
  composer_.provider = "nowhere";
  Send("cmd_1");
  EXPECT_EQ(Record("cmd_1").state, CommandState::kFailed);
  EXPECT_EQ(Record("cmd_1").outcome->code, ErrorCode::kProviderMissing);
  EXPECT_NE(Record("cmd_1").outcome->message.find("nowhere"), std::string::npos);
  EXPECT_EQ(desk_->in_flight(), 0U);
}

TEST_F(CallDeskTest, ACutOffAnswerMayBeTriedAgainARefusalMayNot) {
  Send("cmd_cut", 1);
  Reply(0, Says(R"({"result":"half of)", StopReason::kMaxTokens));
  EXPECT_EQ(Record("cmd_cut").state, CommandState::kRetryWait);
  Send("cmd_refused", 1, "bob");
  Reply(1, Says(R"({"result":"no"})", StopReason::kRefusal));
  EXPECT_EQ(Record("cmd_refused").state, CommandState::kFailed);
  EXPECT_EQ(Record("cmd_refused").outcome->code, ErrorCode::kModelFailed);
}

TEST_F(CallDeskTest, RepliesThatCountLaterComeAtTheirTime) {
  Send("cmd_slow");
  Send("cmd_quick", 0, "bob");
  Reply(0, Says(R"({"result":"slow"})"), 5s);
  Reply(1, Says(R"({"result":"quick"})"), 2s);
  EXPECT_EQ(desk_->NextDue(), clock_.Now() + 2s);
  desk_->DeliverDue();
  EXPECT_FALSE(core_->has_posted()) << "not yet";
  clock_.Advance(2s);
  desk_->DeliverDue();
  Settle();
  EXPECT_EQ(Record("cmd_quick").state, CommandState::kSucceeded);
  EXPECT_EQ(Record("cmd_slow").state, CommandState::kRunning);
  clock_.Advance(3s);
  desk_->DeliverDue();
  Settle();
  EXPECT_EQ(ResultOf("cmd_slow"), "slow");
  EXPECT_EQ(desk_->NextDue(), std::nullopt);
}

TEST_F(CallDeskTest, WhatIsCancelledIsNotHeardOfAgain) {
  Send("cmd_open");
  Send("cmd_delayed", 0, "bob");
  Reply(1, Says(R"({"result":"late"})"), 5s);
  core_->Submit(PlanControl{PlanId("plan_a"), ControlVerb::kCancel, "enough", {}});
  Settle();
  EXPECT_EQ(desk_->in_flight(), 0U);
  EXPECT_EQ(provider_->ended, 2U);
  EXPECT_EQ(desk_->NextDue(), std::nullopt);
  EXPECT_EQ(Record("cmd_open").state, CommandState::kCancelled);
  EXPECT_EQ(Record("cmd_delayed").state, CommandState::kCancelled);
}

TEST_F(CallDeskTest, ACallThatIsUnderWayIsNotMadeTwice) {
  Send("cmd_1");
  const PlanState& plan = *core_->FindLoaded(PlanId("plan_a"));
  desk_->StartModelCall(plan, Record("cmd_1"), Record("cmd_1").execution->open.at(0));
  EXPECT_EQ(provider_->requests.size(), 1U);
}

TEST_F(CallDeskTest, AKeyReachesNeitherTheModelNorTheJournal) {
  const std::string key = "canary-call-desk-0123";
  ProcessRedactor().AddSecret(key);
  composer_.prompt = "the key is " + key;
  Send("cmd_1");
  EXPECT_EQ(provider_->requests.at(0).messages.at(0).text.find(key), std::string::npos);
  Reply(0, Says(R"({"result":"you said )" + key + "\"}"));
  EXPECT_EQ(Record("cmd_1").state, CommandState::kSucceeded);
  EXPECT_EQ(ResultOf("cmd_1").find(key), std::string::npos) << ResultOf("cmd_1");
  Send("cmd_2", 0, "bob");
  ModelError error;
  error.kind = ModelErrorKind::kStatus;
  error.http_status = 400;
  error.message = "what is " + key + "?";
  Reply(1, std::unexpected(error));
  EXPECT_EQ(Record("cmd_2").outcome->message.find(key), std::string::npos);
}

TEST_F(CallDeskTest, AToolThatFailsIsToldToTheModel) {
  Send("cmd_1");
  ModelAnswer wants = Says("");
  wants.tool_calls = {{"call_a", "look", R"({"at":"Rome"})"}, {"call_b", "explode", "{}"}};
  Reply(0, std::move(wants));
  ASSERT_EQ(tools_.run.size(), 1U) << "the other one is refused without being run";
  EXPECT_EQ(tools_.run[0].arguments, R"({"at":"Rome"})");
  EXPECT_EQ(tools_.run[0].agent.str(), "alice");
  ASSERT_EQ(provider_->requests.size(), 2U) << "the model is asked again";
  EXPECT_EQ(composer_.told, (std::vector<std::string>{"explode: PERMISSION_DENIED", "look: TOOL_FAILED"}));
  Reply(1, Says(R"({"result":"without looking"})"));
  EXPECT_EQ(ResultOf("cmd_1"), "without looking");
}

TEST_F(CallDeskTest, AfterARestartAnOpenCallIsCountedAndMadeAgain) {
  Send("cmd_1");
  Send("cmd_2", 0, "bob");
  Reply(1, Says(R"({"result":"done"})"));
  EXPECT_TRUE(provider_->earlier.empty());
  Boot();
  EXPECT_EQ(provider_->earlier, (std::vector<std::uint64_t>{100})) << "what was reserved for it";
  ASSERT_EQ(provider_->requests.size(), 1U);
  EXPECT_EQ(provider_->requests[0].ids.command.str(), "cmd_1");
  Reply(0, Says(R"({"result":"done after all"})"));
  EXPECT_EQ(ResultOf("cmd_1"), "done after all");
}

}  // namespace
}  // namespace agenttalk
