#include "engine/dag/approval.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/language.h"
#include "engine/people/exhibits.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

constexpr std::uint32_t kUsualRejections = 3;
constexpr std::size_t kMostNextTasks = 8;

std::string ApproveLeadsTo(Language language, const DagState& dag, TaskIndex task) {
  std::vector<std::string> next;
  for (const TaskIndex dependent : dag.DependentsOf(task)) {
    if (next.size() == kMostNextTasks) {
      next.emplace_back("…");
      break;
    }
    next.push_back(dag.IdOf(dependent).str());
  }
  return next.empty() ? Say(language, Phrase::kDone)
                      : Say(language, Phrase::kDoneThen, fmt::format("{}", fmt::join(next, ", ")));
}

}  // namespace

std::uint32_t MostRejections(const TaskNode& node) {
  return node.score && node.score->max_rework > 0 ? node.score->max_rework : kUsualRejections;
}

void ShowResult(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                QuestionAsked& question) {
  const Language language = turn.language();
  const TaskRecord& record = plan.dag->Task(task);
  static const std::vector<NamedContent> kNothing;
  const bool has_past = record.past && !record.past->rounds.empty();
  Exhibit(turn, plan, record.result ? record.result->outputs : kNothing,
          has_past ? record.past->rounds.back().gave : kNothing, question);
  const std::uint32_t most = MostRejections(node);
  question.choices.push_back({"approve", ApproveLeadsTo(language, *plan.dag, task)});
  question.choices.push_back({"reject", record.rejections < most
                                            ? Say(language, Phrase::kGoesBack, node.assigned_agent_id.str(),
                                                  record.rejections + 1, most)
                                            : Say(language, Phrase::kFailsNow, record.rejections)});
}

void AskForApproval(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node) {
  const Language language = turn.language();
  turn.Emit(plan, TaskChanged{node.task_id, TaskChange::kWaitsForApproval, ErrorCode::kGateClosed,
                              turn.Say(Reason::kWaitsForApproval)});
  QuestionAsked question;
  question.kind = QuestionKind::kApprove;
  question.purpose = QuestionPurpose::kGate;
  question.from = node.assigned_agent_id;
  question.task_id = node.task_id;
  question.command_id = plan.commands[plan.dag->Task(task).command].id;
  question.text =
      Say(language, Phrase::kGate, node.task_id.str(), plan.id.str(), node.assigned_agent_id.str());
  ShowResult(turn, plan, task, node, question);
  AskPerson(turn, plan, std::move(question));
}

}  // namespace agenttalk
