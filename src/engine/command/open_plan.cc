#include "engine/command/open_plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/command/flow.h"
#include "engine/command/owner.h"
#include "engine/command/result_files.h"
#include "engine/command/router.h"
#include "engine/command/sending_rules.h"
#include "engine/command/sent_commands.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/command/command.h"
#include "model/content/content.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

const Inbox* SharedInbox(Turn& turn, const AgentId& agent) {
  return turn.state().hub_plan.InboxOf(agent);
}

}  // namespace

CommandBrief OpenPlanOwner::Brief(Turn& /*turn*/, const PlanState& /*plan*/, Command& command) const {
  CommandBrief texts;
  texts.prompt = std::exchange(command.prompt, {});
  texts.score_criteria = std::exchange(command.score_criteria, {});
  return texts;
}

AnswerContract OpenPlanOwner::Contract(const PlanState& /*plan*/, const CommandRecord& record,
                                       const CommandBrief& brief, const AgentSettings& agent) const {
  AnswerContract contract;
  contract.form = brief.stage;
  contract.score_required = record.score_required;
  if (record.on_complete && !record.on_complete->output_name.empty()) {
    contract.outputs.push_back(record.on_complete->output_name);
  }
  contract.may_send = brief.stage == Stage::kCommand && MaySendCommands(agent);
  return contract;
}

CommandReadied OpenPlanOwner::Bind(Turn& turn, const PlanState& plan, const CommandRecord& record) const {
  CommandReadied readied;
  readied.command_id = record.id;
  std::vector<BoundInput>& bound = readied.inputs;
  for (const RequiredInput& required : record.required) {
    std::vector<BoundInput> found =
        plan.Matches(record.agent, required.pattern, SharedInbox(turn, record.agent));
    if (found.size() < required.min) readied.missing.push_back(required.pattern);
    std::ranges::move(found, std::back_inserter(bound));
  }
  std::ranges::stable_sort(bound, {}, &BoundInput::name);
  // A file that meets two requirements is one input.
  const auto again = std::ranges::unique(bound, {}, &BoundInput::name);
  bound.erase(again.begin(), again.end());
  return readied;
}

void OpenPlanOwner::Readied(Turn& turn, const PlanState& /*plan*/, const CommandRecord& record) const {
  turn.Touch(record.agent);
}

bool OpenPlanOwner::UseKnown(Turn& /*turn*/, const PlanState& /*plan*/, const CommandRecord& /*record*/,
                             const Digest& /*reuse_key*/) const {
  return false;
}

AnswerUse OpenPlanOwner::UseAnswer(Turn& /*turn*/, const PlanState& /*plan*/, const CommandRecord& /*record*/,
                                   const AnswerFacts& /*answer*/) const {
  return {};
}

void OpenPlanOwner::Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record,
                            AnswerFacts&& answer, CommandSucceeded&& succeeded) const {
  const std::map<std::string, Content> given = GivenOutputs(turn, plan, answer);
  const std::map<std::string, Content> left = OutputsInFolder(plan, record, succeeded.source.has_value());
  for (const auto& [name, content] : given) succeeded.outputs.push_back({name, content});
  // What was left goes along; what the answer gives itself comes first.
  for (const auto& [name, content] : left) {
    if (!given.contains(name)) succeeded.outputs.push_back({name, content});
  }
  const std::string& declared = record.on_complete ? record.on_complete->output_name : std::string();
  if (!declared.empty() && !given.contains(declared) && !left.contains(declared)) {
    succeeded.outputs.push_back({declared, succeeded.result});
  }
  Dispatchable what;
  what.hops = NextHops(record);
  what.score = answer.score;
  what.score_explanation = std::move(answer.score_explanation);
  what.result = std::move(answer.result);
  what.result_is_json = answer.result_is_json;
  what.outputs = succeeded.outputs;
  for (CommandDraft& draft : answer.sent) {
    draft.sent.body = turn.Store(plan, std::move(draft.body));
    succeeded.commands.push_back(std::move(draft.sent));
  }
  const std::vector<SentCommand> sent = succeeded.commands;
  const Content result = succeeded.result;
  RecordSuccess(turn, plan, record, std::move(succeeded));
  Recorded(turn, plan, record, result, what.result_is_json);
  RouteResult(turn, plan, record, what);
  RouteSentCommands(turn, plan, record, sent);
  CompleteIfIdle(turn, plan);
}

void OpenPlanOwner::Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
                          const CommandEnd& end) const {
  if (!end.IsFailure()) return;
  KeepDeadLetter(turn, plan, record, end);
  AlertOfEnd(turn, plan, record, end);
}

void OpenPlanOwner::Decline(Turn& turn, const PlanState& plan, const CommandRecord& record,
                            const std::string& reason) const {
  EndCommand(turn, plan, record, EndState::kFailed, ErrorCode::kCancelled, reason);
}

}  // namespace agenttalk
