#include "engine/command/held_calls.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/json.h"
#include "engine/people/gateway.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/config/risk_level.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {

bool NeedsConsent(const ToolRequest& call) {
  return call.refusal.empty() && call.risk == RiskLevel::kHigh;
}

std::string RefusalOfCall(const Turn& turn, const std::string& text) {
  return text.empty() ? turn.Say(Phrase::kRefusedCall) : turn.Say(Phrase::kRefusedCallSaying, text);
}

std::string ReadableArguments(const std::string& arguments) {
  const auto parsed = ParseJson(arguments);
  const boost::json::object* object = parsed ? parsed->if_object() : nullptr;
  if (object == nullptr) return arguments;
  std::string text;
  for (const auto& [key, value] : *object) {
    text += fmt::format("\n    {}: {}", std::string_view(key),
                        value.is_string() ? std::string(value.as_string()) : boost::json::serialize(value));
  }
  return text;
}

void HoldCalls(Turn& turn, const PlanState& plan, const CommandRecord& record, std::vector<ToolRequest> calls,
               const std::string& why) {
  const std::string& about = record.task.empty() ? record.id.str() : record.task.str();
  QuestionAsked question;
  question.kind = QuestionKind::kConfirm;
  question.purpose = QuestionPurpose::kToolCall;
  question.from = record.agent;
  question.command_id = record.id;
  question.task_id = record.task;
  question.risk = RiskLevel::kHigh;
  for (ToolRequest& call : calls) {
    if (!question.text.empty()) question.text += "\n";
    question.text += turn.Say(Phrase::kToolQuestion, record.agent.str(), call.name, about, why) + "\n" +
                     turn.Say(Phrase::kToolArguments, ReadableArguments(call.arguments));
    const Content arguments = turn.Store(plan, std::move(call.arguments));
    turn.Emit(plan,
              ToolCallHeld{record.id, std::move(call.name), arguments, call.idempotent, std::move(call.id)});
  }
  question.choices = {{"approve", turn.Say(Phrase::kToolApprove)},
                      {"reject", turn.Say(Phrase::kToolReject, record.agent.str())}};
  turn.Touch(record.agent);
  AskPerson(turn, plan, std::move(question));
}

void DecideHeldCalls(Turn& turn, const PlanState& plan, const CommandRecord& record, Decision decision,
                     const std::string& text) {
  if (decision != Decision::kApprove) {
    const std::vector<OpenCall> held = record.execution->redo;
    for (const OpenCall& one : held) {
      const std::uint32_t call = record.execution->calls + 1;
      turn.Emit(plan,
                ToolCallIntended{record.id, call, one.tool, one.subject, one.idempotent, one.provider_call});
      std::string said = RefusalOfCall(turn, text);
      const Content result = turn.Store(plan, said);
      turn.Emit(plan,
                ToolCallFinished{record.id, call, result, ErrorCode::kPermissionDenied, std::move(said)});
    }
  }
  turn.Emit(plan, CommandRequeued{record.id});
  turn.Touch(record.agent);
}

}  // namespace agenttalk
