#include "engine/state/trail_fold.h"

#include <type_traits>
#include <variant>

#include "base/ids.h"
#include "engine/state/collaborations.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

class Trailing {
 public:
  Trailing(PlanState& plan, const Event& event) : plan_(plan), event_(event) {}

  void operator()(const CommandReceived& e) { Named(e.command.command_id); }
  void operator()(const InputArrived& e) { Named(e.from_command); }
  void operator()(const TaskChanged& e) { OfTask(e.task_id); }
  void operator()(const WorkReviewed& e) { OfTask(e.task_id); }
  void operator()(const TasksReset& e) {
    for (const TaskId& task : e.tasks) OfTask(task);
  }
  void operator()(const QuestionAsked& e) {
    if (!Named(e.command_id)) OfTask(e.task_id);
  }
  void operator()(const QuestionClosed& e) {
    if (const OpenQuestion* open = plan_.people.FindQuestion(e.question)) (*this)(open->asked);
  }
  void operator()(const CollaborationAnswered& e) {
    if (const Collaboration* request = plan_.collaborations.Find(e.request_id)) Named(request->asker);
  }
  template <typename Body>
  void operator()(const Body& e) {
    if constexpr (requires { e.command_id; }) Named(e.command_id);
  }

 private:
  bool Named(const CommandId& id) {
    const CommandRecord* record = id.empty() ? nullptr : plan_.Find(id);
    if (record != nullptr) plan_.trails.Add(record->index, event_.number);
    return record != nullptr;
  }
  void OfTask(const TaskId& task) {
    const std::uint32_t last = plan_.LastCommandOf(task);
    if (last != NumberTable::kNone) plan_.trails.Add(last, event_.number);
  }

  PlanState& plan_;
  const Event& event_;
};

}  // namespace

void FoldTrail(PlanState& plan, const Event& event) {
  if (!plan.commands.empty()) std::visit(Trailing(plan, event), event.body);
}

}  // namespace agenttalk
