#include "runtime/calls/call_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/plant.h"
#include "base/redact.h"
#include "base/time.h"
#include "engine/command/budget.h"
#include "engine/state/miscount.h"
#include "engine/state/plan_state.h"
#include "engine/state/spending.h"
#include "engine/turn/input.h"
#include "llm/model_provider.h"
#include "llm/price_table.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "prompts/composer.h"
#include "runtime/answers/answer_facts.h"
#include "runtime/answers/derived_contract.h"
#include "runtime/answers/folder_files.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

// Ends before the engine's own timer, so that whoever waits is told what held the call back.
constexpr Duration kLongestMargin = std::chrono::seconds(1);
constexpr Duration kShortestMargin = std::chrono::milliseconds(20);
constexpr int kMarginShare = 20;
// No call takes more; a server that claims so is not believed.
constexpr std::uint64_t kMostTokens = 100'000'000;

// What a server does not say, or says as nothing, is counted as it was estimated: a budget must not be talked
// away.
Usage CountedUsage(const ModelAnswer& answer, const Cost& reserved) {
  Usage usage = answer.usage;
  if (usage.input_tokens == 0) usage.input_tokens = reserved.input_tokens;
  if (usage.output_tokens == 0) usage.output_tokens = answer.text.size() / kBytesPerToken + 1;
  usage.input_tokens = std::min(usage.input_tokens, kMostTokens);
  usage.output_tokens = std::min(usage.output_tokens, kMostTokens);
  return usage;
}

Cost CostOf(const ModelAnswer& answer, const PriceTag& price, const std::string& asked_model,
            const Cost& reserved) {
  const Usage usage = CountedUsage(answer, reserved);
  Cost cost{usage.input_tokens, usage.output_tokens, 0, 0};
  if (answer.cost_usd) {
    cost.micro_usd = static_cast<std::uint64_t>(std::llround(std::min(*answer.cost_usd, 1e9) * 1e6));
  } else if (const auto prices = price.Of(asked_model, answer.model)) {
    cost.micro_usd = MicroUsd(usage, *prices);
  } else {
    cost.unpriced = 1;
  }
  return cost;
}

// The remaining time of an attempt.
Duration TimeLeft(Timestamp deadline, Timestamp now) {
  const Duration left = deadline - now;
  return std::max(Duration{1}, left - std::clamp(left / kMarginShare, kShortestMargin, kLongestMargin));
}

// A key must not reach a model, whoever wrote it into a file; every other word is left as it is.
void HideKeys(ModelRequest& request) {
  const Redactor& redactor = ProcessRedactor();
  if (!redactor.KnowsSecrets()) return;
  request.system = redactor.RedactKnown(request.system);
  for (ChatMessage& message : request.messages) message.text = redactor.RedactKnown(message.text);
}

// Without any, nothing is ever used up.
bool HasBudget(const HubSettings& settings) {
  return settings.budget_tokens != 0 || settings.budget_micro_usd != 0 || settings.hub_budget_tokens != 0 ||
         settings.hub_budget_micro_usd != 0;
}

// Whether the files in the command's folder matter to its answer: tools have left some, or it may name one as
// {"file": …}. Most do neither, and listing the files costs as much as reading the answer.
bool MayMeanFiles(const CommandRecord& record, std::string_view answer) {
  if (!record.execution || !record.execution->outputs.empty()) return true;
  return answer.contains("file") || answer.contains('\\');
}

std::string NameOf(const PlanId& plan, const CommandId& command, std::uint32_t call) {
  return fmt::format("{}/{}/{}", plan.str(), command.str(), call);
}

}  // namespace

const ProviderSet::Entry* ProviderSet::Find(const std::string& name) const {
  const auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

CallDesk::CallDesk(Core& core, ProviderSet providers, ToolRunner& tools, const Clock& clock)
    : core_(core), providers_(std::move(providers)), tools_(tools), clock_(clock) {}

void CallDesk::Replace(ProviderSet providers) {
  retired_.push_back(std::exchange(providers_, std::move(providers)));
}

// Whom a call cannot be told of cannot be asked either; StartModelCall says why.
void CallDesk::MayHaveBegun(const OpenCall& call) {
  if (call.model_call == 0) return;
  const auto bytes = core_.contents().Load(call.subject);
  const auto request = bytes ? DecodeRequest(**bytes) : std::unexpected(bytes.error());
  const ProviderSet::Entry* entry = request ? providers_.Find(request->provider) : nullptr;
  if (entry == nullptr) return;
  entry->provider->MayHaveAsked(call.reserved.input_tokens + call.reserved.output_tokens);
}

void CallDesk::StartModelCall(const PlanState& plan, const CommandRecord& record, const OpenCall& call) {
  const Key key{plan.id, record.id, call.call};
  if (calls_.contains(key)) return;
  const auto load = [this](const Content& content) { return core_.contents().Load(content); };
  std::optional<AnswerContract> contract;
  auto stored = [&]() -> Result<ModelRequest> {
    auto request = DecodeRequest(*TRY(load(call.subject)));
    if (!request) return std::unexpected(std::move(request).error());
    contract = std::move(request->contract);
    return Expand(*std::move(request), load);
  }();
  if (!stored) {
    FailAtOnce(key, stored.error().code, stored.error().message);
    return;
  }
  stored->ids.attempt = call.model_call;
  const ProviderSet::Entry* entry = providers_.Find(stored->provider);
  if (entry == nullptr) {
    FailAtOnce(key, ErrorCode::kProviderMissing, fmt::format("there is no provider {}", stored->provider));
    return;
  }
  Call& begun = calls_[key];
  begun.contract = std::move(contract);
  begun.reserved = call.reserved;
  begun.asked_model = stored->model;
  if (record.due != Timestamp{}) stored->timeout = TimeLeft(record.due, clock_.Now());
  Witness([&key] { return NameOf(key.plan, key.command, key.call); });
  HideKeys(*stored);
  auto asked = entry->provider->Ask(std::move(*stored), [this, key, entry](ModelReply reply) {
    ModelReplied(key, *entry, std::move(reply));
  });
  // The reply may have come already, and with it the call's end.
  if (const auto open = calls_.find(key); open != calls_.end()) open->second.model = std::move(asked);
}

void CallDesk::FailAtOnce(const Key& key, ErrorCode code, std::string message) {
  ModelCallDone done;
  done.plan_id = key.plan;
  done.command_id = key.command;
  done.call = key.call;
  done.failure = CallFailure{code, std::move(message), false, {}};
  core_.Post(std::move(done));
}

void CallDesk::ModelReplied(const Key& key, const ProviderSet::Entry& entry, ModelReply reply) {
  if (reply.after > Duration{}) {
    delayed_.push_back({clock_.Now() + reply.after, ++delays_, key, std::move(reply), &entry});
    std::ranges::push_heap(delayed_, std::greater<>());
    return;
  }
  Finish(key, std::move(reply), entry);
}

ToolRequest CallDesk::CheckTool(const AgentId& agent, const ToolCall& call) const {
  ToolRequest request{call.id, call.name, call.arguments, tools_.IsIdempotent(call.name), {}};
  request.risk = tools_.RiskOf(call.name);
  if (auto refusal = tools_.Refuse(agent, call)) {
    request.refusal = std::move(refusal->message);
    request.refusal_code = refusal->code;
  }
  return request;
}

AnswerFacts CallDesk::ReadFacts(const Key& key, const std::optional<AnswerContract>& stored,
                                const ModelAnswer& answer) const {
  AnswerFacts facts;
  const PlanState* plan = core_.FindLoaded(key.plan);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(key.command);
  if (record == nullptr) return facts;
  Result<AnswerContract> derived;
  if (!stored) derived = DeriveContract(core_.contents(), *plan, *record);
  if (!derived) {
    facts.errors.push_back(fmt::format("{}: {}", ToString(derived.error().code), derived.error().message));
    return facts;
  }
  const AnswerContract* contract = stored ? &*stored : &*derived;
  const auto check = [&](const ToolCall& call) { return CheckTool(record->agent, call); };
  const bool takes_tools = contract->form != Stage::kStrategy && contract->form != Stage::kInternalPlan;
  if (answer.tool_calls.empty() || !takes_tools) {
    return ReadAnswerFacts(key.plan, *contract, answer.text, check, {},
                           MayMeanFiles(*record, answer.text) ? FilesOf(*record) : FolderFiles(),
                           core_.state().settings.language);
  }
  for (const ToolCall& call : answer.tool_calls) facts.tools.push_back(check(call));
  return facts;
}

void CallDesk::Finish(const Key& key, ModelReply reply, const ProviderSet::Entry& entry) {
  std::optional<AnswerContract> contract;
  Cost reserved;
  std::string asked_model;
  if (const auto open = calls_.find(key); open != calls_.end()) {
    contract = std::move(open->second.contract);
    asked_model = std::move(open->second.asked_model);
    reserved = open->second.reserved;
    calls_.erase(open);
  }
  ModelCallDone done;
  done.plan_id = key.plan;
  done.command_id = key.command;
  done.call = key.call;
  done.failed_tries = std::move(reply.failed_tries);
  for (FailedTry& one : done.failed_tries) one.message = Redact(one.message);
  ModelOutcome& outcome = reply.outcome;
  if (!outcome) {
    const ModelError& error = outcome.error();
    const Error plain = ToError(error);
    // `retry_times` is for every attempt that failed, but for those that a new key or a paid bill decides.
    const bool refused = error.http_status == 401 || error.http_status == 402 || error.http_status == 403;
    const bool again = error.retryable || (error.http_status >= 400 && !refused);
    done.failure = CallFailure{plain.code, Redact(plain.message), again, error.retry_after};
    if (error.script_entry) done.script_entry = *error.script_entry;
  } else {
    ModelAnswer& answer = *outcome;
    if (ProcessRedactor().KnowsSecrets()) answer.text = ProcessRedactor().RedactKnown(answer.text);
    done.cost = CostOf(answer, entry.price, asked_model, reserved);
    done.model = answer.model.empty() ? asked_model : answer.model;
    if (answer.script_entry) done.script_entry = *answer.script_entry;
    if (answer.stop_reason == StopReason::kMaxTokens) {
      done.failure = CallFailure{
          ErrorCode::kModelFailed,
          fmt::format("the answer was cut off at the token limit, after {} tokens; raise max_tokens "
                      "of the provider, the agent or the task, or ask for a shorter answer",
                      answer.usage.output_tokens),
          true,
          {}};
    } else if (answer.stop_reason == StopReason::kRefusal) {
      done.failure = CallFailure{ErrorCode::kModelFailed, "the model refused to answer", false, {}};
    } else {
      done.answer = ReadFacts(key, contract, answer);
    }
    done.text = std::move(answer.text);
  }
  const Cost cost = done.cost;
  core_.Post(std::move(done));
  Spent(key, reserved, cost);
}

// Outcomes are posted in the order of the list, so that what the engine has seen is at its front.
void CallDesk::DropRecorded() {
  const auto is_open = [this](const Key& key) {
    const PlanState* plan = core_.FindLoaded(key.plan);
    const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(key.command);
    if (record == nullptr || !record->execution) return false;
    const auto& open = record->execution->open;
    return std::ranges::find(open, key.call, &OpenCall::call) != open.end();
  };
  while (!unrecorded_.empty() && !is_open(unrecorded_.front().first)) {
    const auto& [key, cost] = unrecorded_.front();
    Subtract(unrecorded_of_hub_, cost);
    const auto of_plan = unrecorded_of_plans_.find(key.plan);
    Subtract(of_plan->second, cost);
    if (of_plan->second == Cost{}) unrecorded_of_plans_.erase(of_plan);
    unrecorded_.pop_front();
  }
}

void CallDesk::Spent(const Key& key, const Cost& reserved, const Cost& cost) {
  const PlanState* plan = core_.FindLoaded(key.plan);
  if (plan == nullptr || cost == Cost{} || !HasBudget(core_.state().settings)) return;
  DropRecorded();
  unrecorded_.emplace_back(key, cost);
  Add(unrecorded_of_plans_[key.plan], cost);
  Add(unrecorded_of_hub_, cost);
  Unrecorded more{unrecorded_of_plans_[key.plan], unrecorded_of_hub_};
  Miscount miscount = plan->miscount;
  miscount.Learn(reserved, cost);
  // All that is reserved is more than what the calls below can take: as a rule there is room for it, and
  // nobody has to look at every call with every answer.
  Unrecorded most = more;
  Add(most.of_plan, miscount.Scaled(plan->reserved));
  Add(most.of_hub, miscount.Scaled(plan->reserved));
  if (!UsedUpBudget(core_.state(), *plan, most)) return;
  const auto count = [&](const Call& call) {
    Unrecorded with = more;
    Add(with.of_plan, miscount.Scaled(call.reserved));
    Add(with.of_hub, miscount.Scaled(call.reserved));
    return with;
  };
  const auto is_meant = [&](const auto& one) { return one.first.plan == key.plan && one.second.model; };
  for (const auto& one : calls_) {
    if (is_meant(one) && !one.second.model->waits()) more = count(one.second);
  }
  std::vector<Key> withdrawn;
  for (const auto& one : calls_) {
    if (!is_meant(one) || !one.second.model->waits()) continue;
    const Unrecorded with = count(one.second);
    if (UsedUpBudget(core_.state(), *plan, with)) {
      withdrawn.push_back(one.first);
    } else {
      more = with;
    }
  }
  for (const Key& one : withdrawn) {
    const auto call = calls_.extract(one);
    call.mapped().model->Withdraw();
    FailAtOnce(one, ErrorCode::kBudgetExceeded, "the budget is used up: the call was not made");
  }
}

void CallDesk::CancelCalls(const PlanId& plan, const CommandId& command) {
  const auto begin = calls_.lower_bound({plan, command, 0});
  auto end = begin;
  while (end != calls_.end() && end->first.plan == plan && end->first.command == command) ++end;
  calls_.erase(begin, end);
  tool_lines_.erase({plan, command});
  if (std::erase_if(delayed_, [&](const Delayed& one) {
        return one.key.plan == plan && one.key.command == command;
      }) > 0) {
    std::ranges::make_heap(delayed_, std::greater<>());
  }
}

void CallDesk::DeliverDue() {
  while (!delayed_.empty() && delayed_.front().due <= clock_.Now()) {
    std::ranges::pop_heap(delayed_, std::greater<>());
    Delayed next = std::move(delayed_.back());
    delayed_.pop_back();
    Finish(next.key, std::move(next.reply), *next.entry);
  }
}

std::optional<Timestamp> CallDesk::NextDue() const {
  return delayed_.empty() ? std::nullopt : std::optional(delayed_.front().due);
}

}  // namespace agenttalk
