#include "engine/state/goal_fold.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/language.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"
#include "model/words/catalogue.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostNotes = 200;
constexpr std::size_t kMostSettled = 32;
constexpr std::size_t kMostTraced = 64;  // tool calls of a task

void KeepNote(GoalRecord& goal, std::string note) {
  goal.notes.push_back(std::move(note));
  if (goal.notes.size() > kMostNotes) goal.notes.erase(goal.notes.begin());
}

StageWeight WeightIn(const StageFinished& e) {
  return {e.risk,         e.risk_description, e.confidence, e.requires_confirmation, e.thought,
          e.user_message, e.action,           e.params,     e.expected_outcome,      e.alternatives};
}

std::string TextIn(const std::string& params, std::initializer_list<std::string_view> path) {
  auto parsed = ParseJson(params);
  const boost::json::value* at = parsed ? &*parsed : nullptr;
  for (const std::string_view key : path) {
    const boost::json::object* object = at == nullptr ? nullptr : at->if_object();
    at = object == nullptr ? nullptr : object->if_contains(key);
  }
  return at != nullptr && at->is_string() ? std::string(at->as_string()) : std::string();
}

std::string TaskNames(const std::string& params) {
  const auto parsed = ParseJson(params);
  const boost::json::object* object = parsed ? parsed->if_object() : nullptr;
  const boost::json::value* tasks = object == nullptr ? nullptr : object->if_contains("tasks");
  std::vector<std::string> names;
  if (tasks == nullptr || !tasks->is_array()) return {};
  for (const boost::json::value& task : tasks->as_array()) {
    const boost::json::value* id = task.is_object() ? task.as_object().if_contains("id") : nullptr;
    if (id != nullptr && id->is_string()) names.emplace_back(id->as_string());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// What a stage decided, and why, in a line; empty: another event says it (a route, a review).
std::string NoteOf(const StageFinished& e, Language language) {
  if (e.action == "INTENT_ANALYSIS") {
    return Say(language, Phrase::kNoteIntent, TextIn(e.params, {"normalizedIntent", "goal"}),
               TextIn(e.params, {"taskRelation", "type"}));
  }
  if (e.action == "TASK_PLAN") return Say(language, Phrase::kNotePlan, TaskNames(e.params), e.thought);
  if (e.action == "CLARIFICATION_REQUIRED") {
    return Say(language, Phrase::kNoteClarify, EnumName(e.stage), TextIn(e.params, {"question"}));
  }
  if (e.action == "ROUTE_DECISION" || e.action == "REVIEW_RESULT") return {};
  for (const char* key : {"message", "reason", "summary", "question"}) {
    const std::string text = TextIn(e.params, {key});
    if (text.empty()) continue;
    return e.stage == Stage::kOrchestrator ? Say(language, Phrase::kNoteEnd, text)
                                           : Say(language, Phrase::kNoteFailed, EnumName(e.stage), text);
  }
  return Say(language, Phrase::kNoteFailed, EnumName(e.stage), e.thought);
}

// What a stage said that later stages go by.
void Keep(GoalRecord& goal, const StageFinished& e) {
  const auto call = goal.stages.find(e.command_id);
  if (call == goal.stages.end()) return;
  StageLine& line = goal.LineOf(call->second.matter);
  if (e.stage == Stage::kUnderstanding) {
    line.understanding = WeightIn(e);
    if (e.action == "INTENT_ANALYSIS") line.intent = e.params;
  } else if (e.stage == Stage::kRouter) {
    line.router = WeightIn(e);
  } else if (e.stage == Stage::kPlanner) {
    line.planner = WeightIn(e);
    if (e.action == "TASK_PLAN") line.plan = e.params;
  }
}

void BeginGoal(PlanState& plan, const std::string& words) {
  auto begun = std::make_unique<GoalState>();
  GoalRecord& goal = begun->Change();
  goal.goal = words;
  // Commands of a plan are never numbered alike.
  if (plan.goal) {
    goal.calls = plan.goal->Change().calls;
    goal.stages = std::move(plan.goal->Change().stages);
  }
  plan.goal = std::move(begun);
}

}  // namespace

void FoldGoal(PlanState& plan, const GoalSet& e, Language language) {
  const bool again = plan.goal != nullptr;
  const std::vector<NamedContent> before = again ? plan.goal->Change().files : std::vector<NamedContent>();
  BeginGoal(plan, e.goal);
  GoalRecord& goal = plan.goal->Change();
  goal.staged = true;
  goal.line.intent = e.intent;
  goal.fresh = e.fresh;
  goal.files = e.files;
  // The plan that is there was made without these: whoever plans again must know why.
  for (const NamedContent& file : e.files) {
    const auto same_name = std::ranges::find(before, file.name, &NamedContent::name);
    if (again && same_name == before.end()) KeepNote(goal, Say(language, Phrase::kNoteFileNew, file.name));
    if (same_name == before.end() || same_name->content.digest == file.content.digest) continue;
    KeepNote(goal, Say(language, Phrase::kNoteFileChanged, file.name));
  }
}

void FoldStage(PlanState& plan, const StageStarted& e) {
  GoalRecord& goal = plan.goal->Change();
  ++goal.calls;
  goal.stages[e.command_id] = {e.stage, e.matter, e.task_id, true};
  // Commands that were recorded without an owner are known to be a stage's from here on.
  if (CommandRecord* record = plan.Find(e.command_id)) record->owner = OwnerKind::kStage;
}

void FoldStage(PlanState& plan, const StageFinished& e, Language language) {
  GoalRecord& goal = plan.goal->Change();
  if (e.stage != Stage::kExecutor) {
    Keep(goal, e);
    if (std::string note = NoteOf(e, language); !note.empty()) KeepNote(goal, std::move(note));
    return;
  }
  goal.executors[e.task_id] = WeightIn(e);
  CommandRecord* record = plan.Find(e.command_id);
  if (!e.held || record == nullptr || !record->execution) return;
  // When the command continues, what it was about to do comes first.
  OpenCall held;
  held.tool = e.action;
  held.idempotent = e.idempotent;
  held.subject = e.held_arguments;
  record->execution->redo.push_back(std::move(held));
}

void FoldRoute(PlanState& plan, const RouteTaken& e, Language language) {
  GoalRecord& goal = plan.goal->Change();
  KeepNote(goal, Say(language, Phrase::kNoteRoute, EnumName(e.intended), e.reason));
  StageLine& line = goal.LineOf(e.matter);
  line.route = e.intended;
  line.control = e.control;
}

void FoldReview(PlanState& plan, const WorkReviewed& e, Language language) {
  GoalRecord& goal = plan.goal->Change();
  const std::string what =
      e.task_id.empty() ? Say(language, Phrase::kThePlan) : Say(language, Phrase::kResultOf, e.task_id.str());
  KeepNote(goal, Say(language, e.approved ? Phrase::kNoteApproved : Phrase::kNoteSentBack, what, e.score,
                     e.feedback));
  if (!e.task_id.empty()) return;
  StageLine& line = goal.LineOf(e.matter);
  line.feedback.clear();
  if (e.approved) return;
  ++line.rounds;
  line.feedback = e.required_fixes;
  const bool repeats = std::ranges::find(line.feedback, e.feedback) != line.feedback.end();
  if (!e.feedback.empty() && !repeats) line.feedback.insert(line.feedback.begin(), e.feedback);
}

void FoldMatches(PlanState& plan, const TasksMatched& e) {
  for (const TaskMatch& match : e.matches) {
    if (e.by_person && !match.agent_id.empty()) plan.goal->Change().assigned[match.task_id] = match.agent_id;
  }
}

void FoldPhase(PlanState& plan, const PhaseChanged& e) {
  GoalRecord& goal = plan.goal->Change();
  goal.phase = e.to;
  if (e.to == GoalPhase::kExecuting) goal.fresh = false;
  goal.failure = e.to == GoalPhase::kEnded ? e.reason : std::string();
}

void FoldNote(PlanState& plan, const GoalNoted& e) {
  GoalRecord& goal = plan.goal->Change();
  KeepNote(goal, e.note);
  if (!e.said.empty()) goal.said.push_back({e.matter, e.asked, e.said});
  if (e.feedback) goal.LineOf(e.matter).feedback.push_back(e.note);
  if (e.exception) ++goal.exceptions;
}

void FoldRemark(PlanState& plan, const RemarkMade& e, std::uint64_t number) {
  if (!plan.goal) {
    BeginGoal(plan, plan.dag ? plan.dag->goal() : std::string());
    plan.goal->Change().phase = GoalPhase::kExecuting;
  }
  GoalRecord& goal = plan.goal->Change();
  goal.remarks.push_back({number, e.text});
  if (goal.remarks.size() == 1) goal.remark_line = {};
}

void FoldRemark(PlanState& plan, const RemarkSettled& e, Language language) {
  GoalRecord& goal = plan.goal->Change();
  const auto remark = std::ranges::find(goal.remarks, e.remark, &OpenRemark::number);
  if (remark != goal.remarks.end()) {
    KeepNote(goal, Say(language, Phrase::kNoteRemark, remark->text, e.outcome));
    const bool counts = e.done && e.route != Route::kNewTask && e.route != Route::kControlAction;
    if (counts) goal.said.push_back({StageMatter::kRemark, {}, remark->text});
  }
  std::erase_if(goal.remarks, [&](const OpenRemark& one) { return one.number == e.remark; });
  goal.remark_line = {};
  goal.settled.push_back(e);
  if (goal.settled.size() > kMostSettled) goal.settled.erase(goal.settled.begin());
}

void FoldTrail(PlanState& plan, const CommandRecord& record, const std::string& tool,
               const Content& arguments, const ToolCallFinished& e) {
  if (!plan.IsStaged() || record.task.empty()) return;
  std::vector<ToolTrace>& trail = plan.goal->Change().trails[record.task];
  trail.push_back({tool, arguments, e.result, e.error.has_value()});
  if (trail.size() > kMostTraced) trail.erase(trail.begin());
}

void BeginTrail(PlanState& plan, const TaskId& task) {
  if (plan.goal && !task.empty()) plan.goal->Change().trails.erase(task);
}

void FoldTaskNote(PlanState& plan, const TaskCompleted& e, Language language) {
  if (!plan.IsStaged() || !plan.dag) return;
  const TaskIndex task = plan.dag->Find(e.task_id);
  if (task == DagState::kNone) return;
  std::vector<std::string> names;
  for (const NamedContent& output : e.outputs) names.push_back(output.name);
  for (const NamedContent& output : e.deliverables) {
    if (std::ranges::find(names, output.name) == names.end()) names.push_back(output.name);
  }
  std::string made = fmt::format("{}", fmt::join(names, ", "));
  if (const StageWeight* said = plan.goal->FindExecutor(e.task_id))
    made += (made.empty() ? "" : "; ") + said->thought;
  GoalRecord& goal = plan.goal->Change();
  KeepNote(goal, Say(language, Phrase::kNoteDone, e.task_id.str(), plan.dag->AgentOf(task).str(), made));
  goal.trails.erase(e.task_id);
}

void FoldTaskNote(PlanState& plan, const TaskChanged& e, Language language) {
  if (!plan.IsStaged() || !plan.dag) return;
  const TaskIndex task = plan.dag->Find(e.task_id);
  if (task == DagState::kNone) return;
  if (e.change == TaskChange::kFailed) {
    KeepNote(plan.goal->Change(), Say(language, Phrase::kNoteTaskFailed, e.task_id.str(),
                                      plan.dag->AgentOf(task).str(), e.reason));
  } else if (e.change == TaskChange::kSkipped || e.change == TaskChange::kNotNeeded) {
    KeepNote(plan.goal->Change(), Say(language, Phrase::kNoteSkipped, e.task_id.str(), e.reason));
  }
}

void FoldStageEnd(PlanState& plan, const CommandRecord& record) {
  if (!plan.goal || !record.task.empty()) return;
  auto& stages = plan.goal->Change().stages;
  if (const auto call = stages.find(record.id); call != stages.end()) call->second.open = false;
}

void FoldGoalChange(PlanState& plan, const PlanChanged& e) {
  if (!plan.goal) return;
  if (e.change == PlanChange::kCompleted) plan.goal->Change().failure = e.reason;
  if (e.change == PlanChange::kCancelled) {
    plan.goal->Change().phase = GoalPhase::kEnded;
    plan.goal->Change().remarks.clear();
  }
}

bool RunsWhilePaused(const PlanState& plan, const CommandRecord& record) {
  if (!plan.goal || !record.task.empty()) return false;
  const StageCall* call = plan.goal->FindCall(record.id);
  // Whoever says something to a paused plan learns at once what comes of it; the tasks wait all the same.
  return call != nullptr && call->matter == StageMatter::kRemark;
}

}  // namespace agenttalk
