#include "engine/thinking/flow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/human_text.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/language.h"
#include "base/utf8.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/plan_draft.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/thinking_command.h"
#include "model/config/human_agent.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/thinking_events.h"
#include "model/words/catalogue.h"
#include "model/words/diagnostics.h"

namespace agenttalk {
namespace {

// The part of a plan that is in a prompt.
constexpr std::size_t kMostTasksTold = 200;
constexpr std::size_t kLongestInstructionTold = 160;

void TellAgent(Turn& turn, const PlanState& plan, const CommandRecord& record, MemoryKind kind,
               const AgentId& from, std::string text) {
  const Content content = turn.Store(plan, std::move(text));
  turn.Emit(plan, MemoryWritten{record.agent, MemoryTaskOf(record), record.id, {kind, from, content}});
}

bool IsConflict(const std::vector<Issue>& issues) {
  return issues.size() == 1 && issues.front().code == ErrorCode::kVersionConflict;
}

Error BatchRefusal(const std::vector<Issue>& issues) {
  const Issue& first = issues.front();
  std::string message = fmt::format("{} ({})", first.message, first.path);
  if (issues.size() > 1) message += fmt::format("; and {} more", issues.size() - 1);
  return {first.code, std::move(message), first.hint};
}

bool HasAppend(const PlanChangeBatch& batch) {
  return std::ranges::any_of(batch.commands,
                             [](const ThinkingCommand& command) { return command.name == "append_task"; });
}

// It says that it has done, and does not give what it was to make.
bool LacksResult(const PlanState& plan, const CommandRecord& record, const AnswerFacts& answer) {
  const bool finishes = std::ranges::find(answer.commands, "finish_current_task", &ThinkingCommand::name) !=
                        answer.commands.end();
  if (!answer.commands_only || !finishes) return false;
  const TaskIndex task = plan.TaskOf(record);
  const bool declares = task != DagState::kNone
                            ? !plan.dag->Node(task).outputs.empty()
                            : record.on_complete && !record.on_complete->output_name.empty();
  return declares || record.score_required;
}

std::string StateInWords(Language language, const DagState& dag, TaskIndex task) {
  const TaskRecord& record = dag.Task(task);
  if (record.phase == TaskPhase::kSkipped) {
    return record.note ? Say(language, Phrase::kTaskSkipped, record.note->reason)
                       : Say(language, Phrase::kTaskSkippedNow);
  }
  return Say(language, IsFinished(dag, task) ? Phrase::kTaskFinished : Phrase::kTaskOpen);
}

std::string DoneText(const AnswerFacts& answer, const BatchReport& report, Language language) {
  std::vector<std::string_view> names;
  for (const ThinkingCommand& command : answer.commands) names.push_back(command.name);
  std::string text = Say(language, Phrase::kCommandsDone, fmt::format("{}", fmt::join(names, ", ")));
  if (report.changed) text += Say(language, Phrase::kNowRevision, report.revision);
  return text;
}

}  // namespace

void OnPlanChangeBatch(Turn& turn, PlanChangeBatch batch) {
  const PlanState& plan = turn.Plan(batch.plan_id);
  if (!batch.client_id.empty() && std::ranges::find(plan.clients, batch.client_id) != plan.clients.end()) {
    turn.reply = {Reply::Status::kRepeated, {}, {}, plan.last_event};
    return;
  }
  ThinkingBatch thought;
  thought.author = batch.author;
  thought.unrestricted = true;
  thought.expected_revision = batch.expected_revision;
  thought.reason = CleanHumanText(batch.reason);
  const bool unknown = !plan.opened && !HasAppend(batch);
  thought.commands = std::move(batch.commands);
  std::vector<Issue> issues;
  if (unknown) {
    issues.push_back({ErrorCode::kPlanUnknown, "/plan_id", fmt::format("there is no plan {}", plan.id.str()),
                      "see `agenttalk plans`; `plan append` makes a plan", 0});
    AuditRefusal(turn, plan, thought, ErrorCode::kPlanUnknown,
                 {IssueWithHint(issues.front(), turn.language())});
  } else if (auto applied = ApplyBatch(turn, plan, thought); !applied) {
    issues = std::move(applied).error();
  }
  if (!issues.empty()) {
    turn.reply = {Reply::Status::kRefused, BatchRefusal(issues), {}, turn.state().last_event};
    turn.reply.issues = std::move(issues);
    return;
  }
  if (!batch.client_id.empty()) turn.Emit(plan, ControlAccepted{std::move(batch.client_id), "plan"});
  turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
}

ThoughtOutcome ThinkingFlow::CarryOut(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                      AnswerFacts& answer) const {
  ThoughtOutcome outcome;
  ThinkingBatch batch;
  batch.author = record.agent;
  batch.record = &record;
  batch.commands = answer.commands;
  batch.expected_revision = record.execution->plan_revision;
  if (LacksResult(plan, record, answer)) {
    const Issue missing{ErrorCode::kFieldMissing, "/result",
                        "a task with outputs or a score is finished with its result", "", 0};
    outcome.errors = {IssueWithHint(missing, turn.language())};
    AuditRefusal(turn, plan, batch, ErrorCode::kFieldMissing, outcome.errors);
    return outcome;
  }
  auto applied = ApplyBatch(turn, plan, batch);
  if (!applied && IsConflict(applied.error())) {
    TellAgent(turn, plan, record, MemoryKind::kDone, record.agent,
              turn.Say(Phrase::kCommandsNot, Diagnostic(applied.error().front().message, turn.language()),
                       DescribePlan(plan, turn.language())));
    outcome.use_result = false;
    return outcome;
  }
  if (!applied) {
    for (const Issue& issue : applied.error())
      outcome.errors.push_back(IssueWithHint(issue, turn.language()));
    return outcome;
  }
  outcome.use_result = !applied->asked && (!answer.commands_only || applied->finishes_own_task);
  // Its own task was reset: there is nobody to continue.
  if (!IsLive(record.state)) {
    outcome.use_result = false;
  } else if (!outcome.use_result) {
    TellAgent(turn, plan, record, MemoryKind::kDone, record.agent,
              DoneText(answer, *applied, turn.language()));
  }
  return outcome;
}

void ThinkingFlow::AuditBadForm(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                const AnswerFacts& answer) const {
  ThinkingBatch batch;
  batch.author = record.agent;
  batch.record = &record;
  AuditRefusal(turn, plan, batch, ErrorCode::kValueInvalid, answer.command_errors);
}

void HearPerson(Turn& turn, const PlanState& plan, const CommandRecord& record, Decision decision,
                const std::string& text) {
  std::string said = CleanHumanText(text);
  if (IsBlank(said)) {
    said = Say(turn.language(), decision == Decision::kApprove  ? Phrase::kYes
                                : decision == Decision::kReject ? Phrase::kNo
                                                                : Phrase::kNobodyAnswered);
  }
  TellAgent(turn, plan, record, MemoryKind::kAnswer, AgentId(std::string(kHuman)), std::move(said));
  turn.Emit(plan, CommandRequeued{record.id});
  turn.Touch(record.agent);
}

std::string DescribePlan(const PlanState& plan, Language language) {
  if (!plan.dag) return {};
  const DagState& dag = *plan.dag;
  std::string text = Say(language, Phrase::kPlanAt, dag.revision()) + "\n";
  std::size_t told = 0;
  for (const TaskIndex task : TopologicalOrder(dag)) {
    if (told++ == kMostTasksTold) break;
    const TaskNode node = dag.Node(task);
    std::vector<std::string_view> needs;
    for (const TaskId& id : node.depends_on) needs.push_back(id.str());
    const std::string_view instruction = Utf8Prefix(node.prompt, kLongestInstructionTold);
    std::string line = fmt::format(
        "- {} ({}, {}{}): {}{}", node.task_id.str(), node.assigned_agent_id.str(),
        StateInWords(language, dag, task),
        needs.empty() ? std::string()
                      : Say(language, Phrase::kTaskNeeds, fmt::format("{}", fmt::join(needs, " "))),
        instruction, instruction.size() < node.prompt.size() ? "…" : "");
    std::ranges::replace(line, '\n', ' ');
    text += line + "\n";
  }
  if (dag.size() > kMostTasksTold) {
    text += Say(language, Phrase::kAndMoreTasks, dag.size() - kMostTasksTold) + "\n";
  }
  return text;
}

}  // namespace agenttalk
