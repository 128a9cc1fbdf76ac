#include "api/page/plan_pages.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/hub_service.h"
#include "api/page/graph_layout.h"
#include "api/page/spent_json.h"
#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "model/events/stage_events.h"
#include "runtime/core/shown_task.h"
#include "runtime/history/cost_json.h"
#include "runtime/hub.h"
#include "runtime/reports/past_plan.h"
#include "runtime/reports/plan_report.h"
#include "runtime/reports/task_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kNamed = 20;           // of what runs and of what failed
constexpr std::size_t kCommandsNamed = 200;  // of those that belong to no task
constexpr std::size_t kRemarksNamed = 3;
constexpr std::uint64_t kTasksOfAPage = 200;
constexpr std::uint64_t kMostTasksOfAPage = 2000;
constexpr std::size_t kLayoutsKept = 8;

struct StateLetter {
  std::string_view state;
  char letter;
};

// One letter a state, so that a plan of 10,000 tasks is 10 KB. The page has the same table.
constexpr std::array kLetters = {StateLetter{"PENDING", 'p'},
                                 StateLetter{"READY", 'y'},
                                 StateLetter{"RUNNING", 'r'},
                                 StateLetter{"BLOCKED_WAITING_INPUT", 'i'},
                                 StateLetter{"BLOCKED_WAITING_REVIEW", 'v'},
                                 StateLetter{"BLOCKED_WAITING_HUMAN", 'h'},
                                 StateLetter{"FAILED", 'f'},
                                 StateLetter{"SKIPPED", 's'},
                                 StateLetter{"COMPLETED", 'c'},
                                 StateLetter{"CANCELLED", 'x'}};

char LetterOf(std::string_view state) {
  const auto* found = std::ranges::find(kLetters, state, &StateLetter::state);
  return found == kLetters.end() ? 'b' : found->letter;  // blocked for another reason
}

// What is told of a plan; `past`: as it was, otherwise it is told as it is now.
using Telling = std::function<Result<json::value>(const PlanState& plan, const PastPlan* past)>;

void TellOf(Hub& hub, const json::object& parameters, Telling tell, HubService::Done done) {
  const auto moment = MomentOf(hub, parameters, 0);
  if (!moment) {
    done(std::unexpected(moment.error()));
    return;
  }
  if (moment->at == 0) {
    done(tell(*moment->plan, nullptr));
    return;
  }
  hub.TellOfPast(
      moment->plan->id, std::min(moment->at, hub.core().committed()),
      [tell = std::move(tell)](const PastPlan& past) { return tell(*past.plan, &past); }, std::move(done));
}

json::value TimeOrNull(Timestamp time) {
  return time == Timestamp{} ? json::value() : json::value(ToRfc3339(time));
}

// What the summary says about the tasks of a DAG.
struct TaskTally {
  std::string letters;
  json::array running;
  json::array failed;
  std::size_t running_total = 0;
  std::size_t failed_total = 0;
  Timestamp started;
};

void NameRunning(TaskTally& tally, const std::string& name, const AgentId& agent, Timestamp since) {
  if (++tally.running_total > kNamed) return;
  tally.running.push_back(
      json::object{{"task_id", name}, {"agent", agent.str()}, {"since", TimeOrNull(since)}});
}

void NameFailed(TaskTally& tally, const std::string& name, const AgentId& agent, const std::string& why) {
  if (++tally.failed_total > kNamed) return;
  tally.failed.push_back(json::object{{"task_id", name}, {"agent", agent.str()}, {"message", why}});
}

TaskTally TallyTasks(const PlanState& plan) {
  TaskTally tally;
  const DagState& dag = *plan.dag;
  tally.letters.reserve(dag.size());
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    const TaskRecord& record = dag.Task(task);
    const char letter = LetterOf(TaskStateName(plan, task));
    tally.letters += letter;
    if (record.started_at != Timestamp{} &&
        (tally.started == Timestamp{} || record.started_at < tally.started))
      tally.started = record.started_at;
    if (letter == 'r') NameRunning(tally, dag.IdOf(task).str(), dag.AgentOf(task), record.started_at);
    if (letter == 'f')
      NameFailed(tally, dag.IdOf(task).str(), dag.AgentOf(task), record.note ? record.note->reason : "");
  }
  return tally;
}

bool HasFailed(const CommandRecord& record) {
  return record.state == CommandState::kFailed || record.state == CommandState::kTimedOut;
}

// Commands that belong to no task: those of an open plan, and the stages of a goal.
struct CommandTally {
  std::size_t total = 0;
  std::size_t done = 0;
};

CommandTally TallyCommands(const PlanState& plan, TaskTally& tasks) {
  CommandTally tally;
  for (const CommandRecord& record : plan.commands) {
    if (!record.task.empty()) continue;
    ++tally.total;
    if (record.state == CommandState::kSucceeded) ++tally.done;
    if (record.state == CommandState::kRunning) NameRunning(tasks, record.id.str(), record.agent, {});
    // What failed on the way to a DAG is told by the plan's failure.
    if (!plan.dag && HasFailed(record))
      NameFailed(tasks, record.id.str(), record.agent, record.outcome ? record.outcome->message : "");
  }
  return tally;
}

json::array DeliverablesOf(const PlanState& plan) {
  json::array names;
  if (!plan.dag) return names;
  for (const auto& [name, content] : plan.dag->delivered()) {
    names.push_back(json::object{{"name", name}, {"sha256", content.digest.Hex()}, {"size", content.size}});
  }
  return names;
}

// What was said about the plan last, and what came of it.
json::array RemarksOf(const PlanState& plan) {
  json::array remarks;
  if (!plan.goal) return remarks;
  const std::span<const RemarkSettled> settled = plan.goal->settled();
  for (std::size_t i = settled.size() - std::min(settled.size(), kRemarksNamed); i < settled.size(); ++i) {
    const RemarkSettled& one = settled[i];
    remarks.push_back(
        json::object{{"remark", one.remark},
                     {"state", one.done ? "done" : "dropped"},
                     {"outcome", one.outcome},
                     {"new_plan", one.new_plan.empty() ? json::value() : json::value(one.new_plan.str())}});
  }
  for (const OpenRemark& one : plan.goal->remarks()) {
    remarks.push_back(json::object{
        {"remark", one.number}, {"state", "open"}, {"outcome", one.text}, {"new_plan", nullptr}});
  }
  return remarks;
}

json::object PlanSummaryJson(const PlanState& plan) {
  TaskTally tasks = plan.dag ? TallyTasks(plan) : TaskTally();
  const CommandTally commands = TallyCommands(plan, tasks);
  std::size_t questions = 0;
  for (const auto& [number, question] : plan.people.questions())
    questions += question.asked.kind == QuestionKind::kAlert ? 0 : 1;
  std::string failure = plan.goal ? plan.goal->failure() : std::string();
  if (failure.empty() && plan.dag) failure = plan.dag->failure();
  const std::string goal = plan.dag ? plan.dag->goal() : plan.goal ? plan.goal->words() : std::string();
  const std::size_t done =
      plan.dag ? static_cast<std::size_t>(std::ranges::count(tasks.letters, 'c')) : commands.done;
  json::value origin;
  if (plan.dag && plan.dag->origin()) {
    origin = json::object{{"plan_id", plan.dag->origin()->plan.str()},
                          {"task_id", plan.dag->origin()->from_task.str()}};
  }
  return {{"plan_id", plan.id.str()},
          {"goal", goal},
          {"state", PlanStateName(plan)},
          {"phase", plan.goal ? json::value(EnumName(plan.goal->phase())) : json::value()},
          {"failure", failure},
          {"forked_from", std::move(origin)},
          {"revision", plan.dag ? plan.dag->revision() : 0},
          {"states", std::move(tasks.letters)},
          {"total", plan.dag ? plan.dag->size() : commands.total},
          {"done", done},
          {"commands", commands.total},
          {"running", std::move(tasks.running)},
          {"running_total", tasks.running_total},
          {"failed", std::move(tasks.failed)},
          {"failed_total", tasks.failed_total},
          {"deliverables", DeliverablesOf(plan)},
          {"remarks", RemarksOf(plan)},
          {"questions", questions},
          {"dead_letters", plan.people.letters().size()},
          {"tokens", plan.spent.input_tokens + plan.spent.output_tokens},
          {"cost_usd", CostUsd(plan.spent)},
          {"shares", SharesJson(plan.shares)},
          {"started_at", TimeOrNull(tasks.started)},
          {"updated_at", TimeOrNull(plan.updated_at)},
          {"last_event", plan.last_event}};
}

bool Contains(std::string_view text, std::string_view wanted) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::ranges::search(text, wanted, same).begin() != text.end() || wanted.empty();
}

struct TaskFilter {
  std::string text;
  std::string states;  // letters; empty: all
};

bool Matches(const TaskFilter& filter, const PlanState& plan, TaskIndex task) {
  if (!filter.states.empty() && !filter.states.contains(LetterOf(TaskStateName(plan, task)))) return false;
  return Contains(plan.dag->IdOf(task).str(), filter.text) ||
         Contains(plan.dag->AgentOf(task).str(), filter.text);
}

std::vector<TaskIndex> TasksLike(const TaskFilter& filter, const PlanState& plan, bool by_start) {
  std::vector<TaskIndex> found;
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) {
    const bool begun = plan.dag->Task(task).started_at != Timestamp{};
    if ((begun || !by_start) && Matches(filter, plan, task)) found.push_back(task);
  }
  if (by_start)
    std::ranges::stable_sort(found, {}, [&](TaskIndex task) { return plan.dag->Task(task).started_at; });
  return found;
}

// The newest ones, oldest first.
json::array CommandsWithoutTask(const PlanState& plan) {
  std::deque<const CommandRecord*> newest;
  for (const CommandRecord& record : plan.commands) {
    if (!record.task.empty()) continue;
    newest.push_back(&record);
    if (newest.size() > kCommandsNamed) newest.pop_front();
  }
  json::array commands;
  for (const CommandRecord* record : newest) commands.push_back(OneCommandJson(plan, *record));
  return commands;
}

// Layouts of the DAGs that were looked at last: many pages look at the same plan, and a revision never
// changes.
struct KeptLayout {
  PlanId plan;
  Digest dag;
  std::uint64_t revision = 0;
  std::vector<GraphPlace> places;
};

const std::vector<GraphPlace>& LayoutOf(const PlanState& plan, const std::vector<GraphEdge>& edges) {
  const DagState& dag = *plan.dag;
  thread_local std::deque<KeptLayout> kept;
  const auto found = std::ranges::find_if(kept, [&](const KeptLayout& one) {
    return one.plan == plan.id && one.dag == dag.document().digest && one.revision == dag.revision() &&
           one.places.size() == dag.size();
  });
  if (found != kept.end()) return found->places;
  if (kept.size() == kLayoutsKept) kept.pop_front();
  return kept.emplace_back(plan.id, dag.document().digest, dag.revision(), LayOut(dag.size(), edges)).places;
}

json::array EdgesJson(const std::vector<GraphEdge>& edges) {
  json::array array;
  array.reserve(edges.size());
  for (const GraphEdge& edge : edges) array.push_back(json::array{edge.from, edge.to});
  return array;
}

Result<json::value> SummaryThen(const PlanState& plan, const PastPlan* past) {
  json::object summary = PlanSummaryJson(plan);
  summary["at"] = past != nullptr
                      ? json::value(json::object{
                            {"seq", past->event}, {"time", ToRfc3339(past->time)}, {"type", past->type}})
                      : json::value();
  return json::value(std::move(summary));
}

Result<json::value> GraphThen(const PlanState& plan, const PastPlan* /*past*/) {
  json::array tasks;
  if (!plan.dag) return json::value{{"revision", 0}, {"tasks", tasks}, {"edges", json::array()}};
  const DagState& dag = *plan.dag;
  std::vector<GraphEdge> edges;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    for (const TaskIndex from : dag.DependenciesOf(task)) edges.push_back({from, task});
  }
  const std::vector<GraphPlace>& places = LayoutOf(plan, edges);
  tasks.reserve(dag.size());
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    tasks.push_back(
        json::array{dag.IdOf(task).str(), dag.AgentOf(task).str(), places[task].column, places[task].row});
  }
  return json::value{{"revision", dag.revision()}, {"tasks", std::move(tasks)}, {"edges", EdgesJson(edges)}};
}

struct TaskPage {
  TaskFilter filter;
  std::uint64_t after = 0;
  std::uint64_t limit = kTasksOfAPage;
  bool by_start = false;
};

Result<TaskPage> ReadTaskPage(const json::object& parameters) {
  TaskPage page;
  page.filter = {TRY(OptionalText(parameters, "text")), TRY(OptionalText(parameters, "state"))};
  page.after = TRY(OptionalNumber(parameters, "after", 0));
  page.limit = std::min(TRY(OptionalNumber(parameters, "limit", kTasksOfAPage)), kMostTasksOfAPage);
  page.by_start = TRY(OptionalText(parameters, "order")) == "started";
  return page;
}

json::value TasksJson(const TaskPage& page, const PlanState& plan) {
  std::vector<TaskIndex> found;
  if (plan.dag) found = TasksLike(page.filter, plan, page.by_start);
  json::array tasks;
  for (std::size_t i = page.after; i < found.size() && tasks.size() < page.limit; ++i)
    tasks.push_back(OneTaskJson(plan, found[i]));
  const std::size_t next = page.after + tasks.size();
  return {{"tasks", std::move(tasks)},
          {"total", found.size()},
          {"next", next < found.size() ? json::value(next) : json::value()},
          {"commands", page.after == 0 ? CommandsWithoutTask(plan) : json::array()}};
}

}  // namespace

void TellSummary(Hub& hub, const json::object& parameters, HubService::Done done) {
  TellOf(hub, parameters, &SummaryThen, std::move(done));
}

void TellTasks(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto page = ReadTaskPage(parameters);
  if (!page) {
    done(std::unexpected(std::move(page).error()));
    return;
  }
  TellOf(
      hub, parameters,
      [page = *std::move(page)](const PlanState& plan, const PastPlan* /*past*/) -> Result<json::value> {
        return TasksJson(page, plan);
      },
      std::move(done));
}

void TellGraph(Hub& hub, const json::object& parameters, HubService::Done done) {
  TellOf(hub, parameters, &GraphThen, std::move(done));
}

}  // namespace agenttalk
