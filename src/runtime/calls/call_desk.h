#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/command/budget.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "llm/model_provider.h"
#include "llm/price_table.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "tools/tool_runner.h"

namespace agenttalk {

// The configured providers by name; the empty name is the default.
struct ProviderSet {
  struct Entry {
    std::shared_ptr<ModelProvider> provider;
    PriceTag price;
    bool native_tools = false;   // its protocol has tool calls of its own
    bool answer_schema = false;  // it can hold an answer to a JSON Schema
    std::string script = {};     // a file of answers that knows none for the stages of a goal
  };
  std::map<std::string, Entry> entries;

  [[nodiscard]] const Entry* Find(const std::string& name) const;
};

// Makes the calls that the engine wants, and reads what comes back. The outcomes are posted to the core.
class CallDesk final : public Performer {
 public:
  CallDesk(Core& core, ProviderSet providers, ToolRunner& tools, const Clock& clock);

  // Calls that begin from now on are asked of these. Those under way stay where they are.
  void Replace(ProviderSet providers);

  void MayHaveBegun(const OpenCall& call) override;
  void StartModelCall(const PlanState& plan, const CommandRecord& record, const OpenCall& call) override;
  void StartToolCall(const PlanState& plan, const CommandRecord& record, const OpenCall& call) override;
  void CancelCalls(const PlanId& plan, const CommandId& command) override;
  void QuestionEnded(const PlanId& plan, const QuestionClosed& closed) override;

  // Hands over the replies that were held back until now (a script may delay its answers).
  void DeliverDue();
  [[nodiscard]] std::optional<Timestamp> NextDue() const;
  // Starts the tools whose turn has come: the outcome of the one before is recorded.
  void StartNextTools();
  [[nodiscard]] std::size_t in_flight() const { return calls_.size(); }

 private:
  struct Key {
    PlanId plan;
    CommandId command;
    std::uint32_t call = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Call {
    std::unique_ptr<ModelCall> model;
    std::unique_ptr<RunningTool> tool;
    std::optional<AnswerContract> contract;  // of the request; missing in those of older versions
    Cost reserved = {};                      // what a model call was estimated at
    std::string asked_model;                 // what the request names, which is what is paid for
  };
  // The tool calls of one command. They run one after another: each finds in the command's folder what the
  // record says that the one before left there.
  struct ToolLine {
    std::uint32_t running = 0;   // or done, and its outcome is not durable yet
    std::uint64_t recorded = 0;  // the event up to which the journal must be durable before the next one
    std::deque<OpenCall> waiting;
  };
  struct Delayed {
    Timestamp due;
    std::uint64_t order = 0;
    Key key;
    ModelReply reply;
    const ProviderSet::Entry* entry = nullptr;
    bool operator>(const Delayed& other) const {
      return std::pair(due, order) > std::pair(other.due, other.order);
    }
  };

  void ModelReplied(const Key& key, const ProviderSet::Entry& entry, ModelReply reply);
  void Finish(const Key& key, ModelReply reply, const ProviderSet::Entry& entry);
  void RunTool(const PlanState& plan, const CommandRecord& record, const OpenCall& call);
  void AskForTool(const Key& key, const ToolQuestion& question,
                  std::function<void(const ToolAnswer&)> answer);
  void FailAtOnce(const Key& key, ErrorCode code, std::string message);
  // A call took this much. Those of its plan that wait to be sent, and have no room in the budget now, are
  // not sent.
  void Spent(const Key& key, const Cost& reserved, const Cost& cost);
  // Forgets the outcomes that the engine has seen by now.
  void DropRecorded();
  [[nodiscard]] AnswerFacts ReadFacts(const Key& key, const std::optional<AnswerContract>& contract,
                                      const ModelAnswer& answer) const;
  [[nodiscard]] ToolRequest CheckTool(const AgentId& agent, const ToolCall& call) const;

  Core& core_;
  ProviderSet providers_;
  std::vector<ProviderSet> retired_;  // calls under way may still use them
  ToolRunner& tools_;
  const Clock& clock_;
  std::map<Key, Call> calls_;
  // What calls took whose outcome the engine has not seen yet, in the order in which they ended; and its
  // sums.
  std::deque<std::pair<Key, Cost>> unrecorded_;
  std::map<PlanId, Cost> unrecorded_of_plans_;
  Cost unrecorded_of_hub_ = {};
  std::map<std::pair<PlanId, CommandId>, ToolLine> tool_lines_;
  std::vector<Delayed> delayed_;  // a heap, earliest first
  // What tools wait for, by question. Whoever gave up does not hear of it.
  std::map<std::pair<PlanId, std::uint64_t>, std::function<void(const ToolAnswer&)>> asked_;
  std::uint64_t delays_ = 0;
};

}  // namespace agenttalk
