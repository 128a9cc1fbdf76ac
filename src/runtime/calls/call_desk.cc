#include "runtime/calls/call_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/plant.h"
#include "base/redact.h"
#include "base/time.h"
#include "engine/role/flow.h"
#include "engine/stage/plan.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "llm/model_provider.h"
#include "llm/price_table.h"
#include "model/answer/agent_output.h"
#include "model/events/content.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "prompts/answer_reader.h"
#include "runtime/calls/brief.h"
#include "runtime/calls/role_answer.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "runtime/files/sent_command.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

Cost CostOf(const ModelAnswer& answer, const PriceTag& price) {
  return {answer.usage.input_tokens, answer.usage.output_tokens,
          MicroUsd(answer.usage, price.Of(answer.model))};
}

// A key must not reach a model, whoever wrote it into a file; every other word is left as it is.
void HideKeys(ModelRequest& request) {
  const Redactor& redactor = ProcessRedactor();
  if (!redactor.KnowsSecrets()) return;
  request.system = redactor.RedactKnown(request.system);
  for (ChatMessage& message : request.messages) message.text = redactor.RedactKnown(message.text);
}

std::string IssueLine(const Issue& issue) {
  return fmt::format("{} at {}: {}", ToString(issue.code), issue.path.empty() ? "/" : issue.path,
                     issue.message);
}

// What a COMPLETE brings: a text is itself, anything else is kept as JSON.
void ReadResult(const std::string& params, AnswerFacts& facts) {
  const auto parsed = ParseJson(params);
  if (!parsed) return;
  const auto text = [](const boost::json::value& value) {
    return value.is_string() ? std::string(value.as_string()) : CanonicalJson(value);
  };
  const boost::json::value& result = parsed->at("result");
  facts.result = text(result);
  facts.result_is_json = !result.is_string();
  const boost::json::value* outputs = parsed->as_object().if_contains("outputs");
  if (outputs == nullptr || !outputs->is_object()) return;
  for (const auto& [name, content] : outputs->as_object()) {
    if (IsOutputName(name)) facts.outputs.emplace(name, text(content));
  }
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
  auto stored = [&]() -> Result<ModelRequest> {
    return Expand(TRY(DecodeRequest(*TRY(load(call.subject)))), load);
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
  calls_[key];
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
    delayed_.push_back({clock_.Now() + reply.after, ++delays_, key, std::move(reply.outcome), &entry});
    std::ranges::push_heap(delayed_, std::greater<>());
    return;
  }
  Finish(key, std::move(reply.outcome), entry);
}

AnswerFacts CallDesk::ToolFacts(const Key& key, const std::vector<ToolCall>& calls) const {
  AnswerFacts facts;
  const PlanState* plan = core_.FindLoaded(key.plan);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(key.command);
  if (record == nullptr) return facts;
  for (const ToolCall& call : calls) {
    facts.tools.push_back({call.id, call.name, call.arguments, tools_.IsIdempotent(call.name),
                           tools_.Refuse(record->agent, call).value_or(std::string())});
  }
  return facts;
}

AnswerFacts CallDesk::ReadFacts(const Key& key, const ModelAnswer& answer) const {
  AnswerFacts facts;
  const PlanState* plan = core_.FindLoaded(key.plan);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(key.command);
  if (record == nullptr) return facts;
  if (auto role = ReadRoleAnswer(*record, answer.text)) return *std::move(role);
  if (!answer.tool_calls.empty()) return ToolFacts(key, answer.tool_calls);
  std::vector<std::string> outputs;
  if (record->on_complete && !record->on_complete->output_name.empty()) {
    outputs.push_back(record->on_complete->output_name);
  }
  std::vector<std::string> may_return;
  std::vector<OutputCondition> when;
  if (!record->task.empty() || plan->goal) {
    CommandBrief brief = LoadBrief(core_.contents(), *record);
    const bool by_stage = brief.stage != Stage::kCommand && !RunsStep(*record);
    if (by_stage) return StageFacts(*plan, *record, brief.stage, answer.text);
    outputs = std::move(brief.outputs);
    when = std::move(brief.when);
    for (const TaskId& task : brief.may_return) may_return.push_back(task.str());
  }
  AnswerContract contract;
  contract.score_required = record->score_required;
  contract.outputs = outputs;
  contract.when = when;
  contract.may_send = plan->dag != nullptr && !record->task.empty();
  contract.may_return = may_return;
  contract.may_reject = record->owner == OwnerKind::kCollaboration;
  if (RunsStep(*record)) {
    contract.score_required = IsScoredStep(*record);
    contract.outputs = {};
    contract.when = {};
    contract.may_send = false;
    contract.may_return = {};
  }
  auto read = ReadAnswer(answer.text, contract);
  if (!read) {
    for (const Issue& issue : read.error().errors) {
      facts.errors.push_back(IssueLine(issue));
      if (issue.path.starts_with("/commands")) facts.command_errors.push_back(facts.errors.back());
    }
    return facts;
  }
  if (!read->tool_calls.empty()) return ToolFacts(key, read->tool_calls);
  if (read->result) {
    facts.result = std::move(read->result->text);
    facts.result_is_json = read->result->is_json;
  }
  facts.rejected = std::move(read->rejected);
  if (read->rework) facts.rework = ReworkRequest{TaskId(read->rework->task), read->rework->reason};
  facts.commands = std::move(read->commands);
  facts.commands_only = !facts.commands.empty() && !read->result && read->outputs.empty() && !read->rework;
  facts.score = read->score;
  facts.score_explanation = std::move(read->score_explanation);
  for (auto& [name, text] : read->outputs) facts.outputs.emplace(name, std::move(text.text));
  for (auto& [name, text] : read->sent) {
    facts.sent.push_back(ReadSentCommand(plan->id, name, std::move(text.text)));
  }
  return facts;
}

AnswerFacts CallDesk::StageFacts(const PlanState& plan, const CommandRecord& record, Stage stage,
                                 const std::string& text) const {
  AnswerFacts facts;
  OutputContract contract{stage, std::nullopt, {}};
  if (stage == Stage::kPlanner) contract.known_tasks = TasksThatStay(plan, record.id);
  if (stage == Stage::kExecutor) {
    contract.known_tools.emplace();
    for (const ToolSpec& tool : tools_.ToolsOf(record.agent)) contract.known_tools->push_back(tool.name);
  }
  auto read = ReadStageAnswer(text, contract);
  if (!read) {
    for (const Issue& issue : read.error().errors) facts.errors.push_back(IssueLine(issue));
    return facts;
  }
  facts.stage = *std::move(read);
  const AgentOutput& output = *facts.stage;
  if (stage != Stage::kExecutor || !std::holds_alternative<FreeParams>(output.params)) return facts;
  if (output.action == "COMPLETE") {
    ReadResult(output.params_json, facts);
  } else if (output.action != "FAIL") {
    const ToolCall call{{}, output.action, output.params_json};
    facts.tools.push_back({{},
                           call.name,
                           call.arguments,
                           tools_.IsIdempotent(call.name),
                           tools_.Refuse(record.agent, call).value_or(std::string())});
  }
  return facts;
}

void CallDesk::Finish(const Key& key, ModelOutcome outcome, const ProviderSet::Entry& entry) {
  calls_.erase(key);
  ModelCallDone done;
  done.plan_id = key.plan;
  done.command_id = key.command;
  done.call = key.call;
  if (!outcome) {
    const ModelError& error = outcome.error();
    const Error plain = ToError(error);
    done.failure = CallFailure{plain.code, Redact(plain.message), error.retryable, error.retry_after};
    if (error.script_entry) done.script_entry = *error.script_entry;
  } else {
    ModelAnswer& answer = *outcome;
    if (ProcessRedactor().KnowsSecrets()) answer.text = ProcessRedactor().RedactKnown(answer.text);
    done.cost = CostOf(answer, entry.price);
    if (answer.script_entry) done.script_entry = *answer.script_entry;
    if (answer.stop_reason == StopReason::kMaxTokens) {
      done.failure =
          CallFailure{ErrorCode::kModelFailed, "the answer was cut off at the token limit", true, {}};
    } else if (answer.stop_reason == StopReason::kRefusal) {
      done.failure = CallFailure{ErrorCode::kModelFailed, "the model refused to answer", false, {}};
    } else {
      done.answer = ReadFacts(key, answer);
    }
    done.text = std::move(answer.text);
  }
  core_.Post(std::move(done));
}

void CallDesk::StartToolCall(const PlanState& plan, const CommandRecord& record, const OpenCall& call) {
  const Key key{plan.id, record.id, call.call};
  if (calls_.contains(key)) return;
  auto arguments = core_.contents().Load(call.subject);
  if (!arguments) {
    core_.Post(
        ToolCallDone{key.plan, key.command, key.call, {}, arguments.error().code, arguments.error().message});
    return;
  }
  ToolInvocation invocation{record.agent,  plan.id,
                            record.id,     call.tool,
                            **arguments,   fmt::format("{}/{}/{}", plan.id.str(), record.id.str(), call.call),
                            record.timeout};
  calls_[key];
  Witness([&key] { return NameOf(key.plan, key.command, key.call); });
  auto running = tools_.Run(std::move(invocation), [this, key](ToolOutcomeReport report) {
    calls_.erase(key);
    ToolCallDone done{key.plan, key.command, key.call, std::move(report.output), {}, {}};
    if (report.error) {
      done.error = report.error->code;
      done.message = report.error->message;
      if (done.result.empty()) done.result = report.error->message;
    }
    core_.Post(std::move(done));
  });
  if (const auto open = calls_.find(key); open != calls_.end()) open->second.tool = std::move(running);
}

void CallDesk::CancelCalls(const PlanId& plan, const CommandId& command) {
  const auto begin = calls_.lower_bound({plan, command, 0});
  auto end = begin;
  while (end != calls_.end() && end->first.plan == plan && end->first.command == command) ++end;
  calls_.erase(begin, end);
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
    Finish(next.key, std::move(next.outcome), *next.entry);
  }
}

std::optional<Timestamp> CallDesk::NextDue() const {
  return delayed_.empty() ? std::nullopt : std::optional(delayed_.front().due);
}

}  // namespace agenttalk
