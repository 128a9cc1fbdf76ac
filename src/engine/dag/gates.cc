#include "engine/dag/gates.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/language.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

using Verdict = GateState::Verdict;

// A threshold of this name is for the gated task's own score.
constexpr std::string_view kOwnScore = "score";

GateState CompareScore(Language language, const std::string& what, const std::optional<double>& score,
                       double threshold) {
  if (!score) return {Verdict::kClosed, Say(language, Reason::kNoScore, what, threshold)};
  if (*score < threshold) {
    return {Verdict::kClosed, Say(language, Reason::kScoreTooLow, what, *score, threshold)};
  }
  return {};
}

bool HasOutput(const TaskRecord& record, const std::string& name) {
  return record.result &&
         std::ranges::find(record.result->outputs, name, &NamedContent::name) != record.result->outputs.end();
}

GateState AssessMade(Language language, const DagState& dag, TaskIndex task, const std::string& name,
                     const std::optional<double>& threshold) {
  bool may_come = false;
  for (const TaskIndex maker : dag.MakersOf(name)) {
    const TaskRecord& record = dag.Task(maker);
    const bool is_made = (maker == task || record.phase == TaskPhase::kCompleted) && HasOutput(record, name);
    if (is_made && threshold) return CompareScore(language, name, record.result->score, *threshold);
    if (is_made) return {};
    may_come = may_come || (maker != task && dag.ResolutionOf(maker) == Resolution::kOpen);
  }
  if (may_come) return {Verdict::kWaits, Say(language, Reason::kWaitsForEvidence, name)};
  return {Verdict::kClosed, Say(language, Reason::kNoEvidence, name)};
}

GateState AssessEvidence(Language language, const PlanState& plan, TaskIndex task, const TaskNode& node,
                         const std::string& name) {
  const DagState& dag = *plan.dag;
  const auto found = node.gates->thresholds.find(name);
  const auto threshold = found == node.gates->thresholds.end() ? std::nullopt : std::optional(found->second);
  if (!dag.MakersOf(name).empty()) return AssessMade(language, dag, task, name, threshold);
  const bool is_there = plan.FindFile(node.assigned_agent_id, name) != nullptr;
  if (!is_there) return {Verdict::kWaits, Say(language, Reason::kWaitsForEvidence, name)};
  return threshold ? CompareScore(language, name, std::nullopt, *threshold) : GateState{};
}

}  // namespace

GateState AssessGate(const PlanState& plan, TaskIndex task, const TaskNode& node, Language language) {
  if (!node.gates || !node.gates->required) return {};
  const TaskRecord& record = plan.dag->Task(task);
  bool asks_person = false;
  GateState waits;
  if (const auto own = node.gates->thresholds.find(std::string(kOwnScore));
      own != node.gates->thresholds.end()) {
    const GateState state =
        CompareScore(language, Say(language, Reason::kTheTask), record.result->score, own->second);
    if (state.verdict != Verdict::kOpen) return state;
  }
  for (const std::string& name : node.gates->evidence_required) {
    if (name == kHumanEvidence) {
      asks_person = true;
      continue;
    }
    GateState state = AssessEvidence(language, plan, task, node, name);
    if (state.verdict == Verdict::kClosed) return state;
    if (state.verdict == Verdict::kWaits && waits.reason.empty()) waits = std::move(state);
  }
  if (!waits.reason.empty()) return waits;
  return asks_person ? GateState{Verdict::kNeedsPerson, Say(language, Reason::kWaitsForApproval)}
                     : GateState{};
}

}  // namespace agenttalk
