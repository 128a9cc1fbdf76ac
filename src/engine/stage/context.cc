#include "engine/stage/context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/language.h"
#include "base/text_diff.h"
#include "base/utf8.h"
#include "engine/stage/calls.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_inputs.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// A model needs the shape of a plan, not two hundred thousand tasks.
constexpr TaskIndex kMostTasksShown = 200;
constexpr std::size_t kMostFilesShown = 50;
constexpr std::size_t kLineShown = 200;
constexpr std::size_t kFirstLinesShown = 400;
constexpr std::size_t kOutcomeShown = 8 * 1024;
constexpr std::size_t kAllOutcomesShown = 64 * 1024;
constexpr std::size_t kChangesShown = 200;
constexpr std::size_t kMostDependenciesShown = 50;
constexpr std::size_t kContentShown = 2 * 1024;

// The first bytes of a content that is text; what is cut off is said.
std::optional<std::string> Beginning(Turn& turn, const Content& content, std::size_t most) {
  constexpr std::uint64_t kLargestRead = std::uint64_t{4} << 20;
  if (content.size > kLargestRead) return std::nullopt;
  const auto bytes = turn.composer().Read(content);
  if (!bytes || !IsUtf8(*bytes) || bytes->find('\0') != std::string::npos) return std::nullopt;
  const std::string_view kept = Utf8Prefix(*bytes, most);
  std::string text(kept);
  if (kept.size() < bytes->size()) text += turn.Say(Reason::kMoreBytes, bytes->size() - kept.size());
  return text;
}

std::string OneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// What a task's result is, in a line.
std::string ResultLine(Turn& turn, const TaskResult& result) {
  std::vector<std::string> names;
  for (const NamedContent& output : result.outputs) names.push_back(output.name);
  const std::optional<std::string> text = Beginning(turn, result.result, kLineShown);
  return fmt::format("{}: {}", fmt::join(names, ", "),
                     text ? OneLine(*text) : turn.Say(Reason::kBytes, result.result.size));
}

json::value Shown(Turn& turn, const Content& content, std::size_t most) {
  const std::optional<std::string> text = Beginning(turn, content, most);
  return text ? json::value(*text) : json::value(turn.Say(Reason::kNotText, content.size));
}

json::array TrailShown(Turn& turn, const GoalState& goal, const TaskId& task) {
  json::array calls;
  std::size_t room = kAllOutcomesShown;
  for (const ToolTrace& call : goal.TrailOf(task)) {
    const std::size_t most = std::min(kOutcomeShown, room);
    const json::value outcome = Shown(turn, call.outcome, most);
    room -= std::min<std::size_t>(room, outcome.as_string().size());
    const auto arguments = turn.composer().Read(call.arguments);
    calls.push_back(json::object{{"tool", call.tool},
                                 {"arguments", arguments ? ParsedOr(*arguments) : json::value()},
                                 {call.failed ? "failed" : "outcome", outcome}});
  }
  return calls;
}

// How the outputs differ from those of the last attempt.
json::object ChangesSince(Turn& turn, const PastRound& last, const TaskResult& now) {
  json::object changed;
  for (const NamedContent& output : now.outputs) {
    const auto old = std::ranges::find(last.gave, output.name, &NamedContent::name);
    if (old == last.gave.end()) {
      changed[output.name] = "new";
    } else if (old->content.digest == output.content.digest) {
      changed[output.name] = "unchanged";
    } else {
      const auto before = turn.composer().Read(old->content);
      const auto after = turn.composer().Read(output.content);
      if (!before || !after || !IsUtf8(*before) || !IsUtf8(*after)) {
        changed[output.name] = "changed";
        continue;
      }
      TextDiff diff = DiffLines(*before, *after);
      if (diff.lines.size() > kChangesShown) diff.lines.resize(kChangesShown);
      changed[output.name] = fmt::format("{}", fmt::join(diff.lines, "\n"));
    }
  }
  return changed;
}

json::array WordsAbout(const PastRound& round) {
  json::array words;
  for (const Saying& said : round.said) {
    words.push_back(json::object{{"by", EnumName(said.speaker)}, {"said", said.text}});
  }
  return words;
}

bool IsAtWork(const DagState& dag, TaskIndex task) {
  switch (dag.Task(task).phase) {
    case TaskPhase::kActive:
    case TaskPhase::kEvidence:
    case TaskPhase::kReview:
    case TaskPhase::kApproval:
      return true;
    case TaskPhase::kPending:
    case TaskPhase::kReplan:
    case TaskPhase::kBlocked:
    case TaskPhase::kFailed:
    case TaskPhase::kSkipped:
    case TaskPhase::kCompleted:
    case TaskPhase::kCancelled:
      break;
  }
  return false;
}

// By its id, or by a file that it makes.
bool IsReferredTo(const DagState& dag, TaskIndex task, const std::vector<std::string>& entities) {
  const TaskNode node = dag.Node(task);
  return std::ranges::any_of(entities, [&](const std::string& one) {
    return one == node.task_id.str() ||
           std::ranges::find(node.outputs, one, &TaskOutput::name) != node.outputs.end();
  });
}

json::object ContentOfTask(Turn& turn, const DagState& dag, TaskIndex task) {
  const TaskRecord& record = dag.Task(task);
  json::object content{{"id", dag.IdOf(task).str()}, {"state", EnumName(record.phase)}};
  if (!record.result) return content;
  content["result"] = Shown(turn, record.result->result, kContentShown);
  json::array files;
  for (const NamedContent& output : record.result->outputs) {
    const bool same = output.content.digest == record.result->result.digest;
    json::object file{{"name", output.name}, {"bytes", output.content.size}};
    if (!same) file["begins"] = Shown(turn, output.content, kContentShown);
    files.push_back(std::move(file));
  }
  if (!files.empty()) content["files"] = std::move(files);
  return content;
}

json::object AttemptsAt(Turn& turn, const PlanState& plan, TaskIndex task) {
  const TaskRecord& record = plan.dag->Task(task);
  json::object tried{{"id", plan.dag->IdOf(task).str()},
                     {"agent", plan.dag->AgentOf(task).str()},
                     {"state", EnumName(record.phase)},
                     {"attempts", record.attempts},
                     {"reworks", record.reworks}};
  if (record.note) tried["note"] = record.note->reason;
  json::array said;
  if (record.past) {
    for (const PastRound& round : record.past->rounds) {
      for (json::value& one : WordsAbout(round)) said.push_back(std::move(one));
    }
  }
  if (!said.empty()) tried["said"] = std::move(said);
  json::array calls;
  for (const ToolTrace& call : plan.goal->TrailOf(plan.dag->IdOf(task))) {
    calls.push_back(json::object{
        {"tool", call.tool}, {call.failed ? "failed" : "outcome", Shown(turn, call.outcome, kLineShown)}});
  }
  if (!calls.empty()) tried["toolCalls"] = std::move(calls);
  return tried;
}

std::string GoalAsUnderstood(const PlanState& plan) {
  const std::string understood = plan.goal->LineOf(StageMatter::kGoal).Understood().goal;
  return understood.empty() ? plan.goal->words() : understood;
}

}  // namespace

json::value ParsedOr(const std::string& text) {
  auto value = ParseJson(text);
  return value ? *std::move(value) : json::value(text);
}

std::string PersonsWords(Turn& turn, const PlanState& plan, StageMatter matter, bool with_intent) {
  const Language language = turn.language();
  const GoalState& goal = *plan.goal;
  std::vector<std::string> lines;
  if (!goal.words().empty()) lines.push_back(Say(language, Phrase::kWordGoal, goal.words()));
  for (const PersonWord& word : goal.said()) {
    if (!word.asked.empty()) {
      lines.push_back(Say(language, Phrase::kWordClarification, word.asked, word.text));
    } else {
      lines.push_back(Say(language,
                          word.matter == StageMatter::kRemark ? Phrase::kWordRemark : Phrase::kWordPerson,
                          word.text));
    }
  }
  if (matter == StageMatter::kRemark && goal.HasRemark()) {
    lines.push_back(Say(language, Phrase::kWordRemark, goal.CurrentRemark().text));
  }
  const std::string understood = goal.LineOf(matter).Understood().goal;
  if (with_intent && !understood.empty() && understood != goal.words()) {
    lines.push_back(Say(language, Phrase::kWordUnderstood, understood));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

json::object StateOfPlan(const PlanState& plan) {
  json::object state{{"plan", plan.id.str()}, {"phase", EnumName(plan.goal->phase())}};
  if (plan.paused) state["paused"] = true;
  if (!plan.dag) return state;
  std::map<std::string, std::uint32_t> counts;
  for (const TaskRecord& record : plan.dag->tasks()) ++counts[EnumName(record.phase)];
  json::object tasks;
  for (const auto& [phase, count] : counts) tasks[phase] = count;
  state["revision"] = plan.dag->revision();
  state["tasks"] = std::move(tasks);
  return state;
}

json::array TasksShown(Turn& turn, const PlanState& plan) {
  json::array tasks;
  if (!plan.dag) return tasks;
  const DagState& dag = *plan.dag;
  for (TaskIndex task = 0; task < dag.size() && task < kMostTasksShown; ++task) {
    const TaskNode node = dag.Node(task);
    const TaskRecord& record = dag.Task(task);
    json::array needs;
    for (const TaskId& id : node.depends_on) needs.emplace_back(id.str());
    json::object shown{{"id", node.task_id.str()},
                       {"description", node.prompt},
                       {"agent", node.assigned_agent_id.str()},
                       {"dependencies", std::move(needs)},
                       {"state", EnumName(record.phase)}};
    if (record.phase == TaskPhase::kCompleted && record.result)
      shown["result"] = ResultLine(turn, *record.result);
    if (record.note) shown["note"] = record.note->reason;
    tasks.push_back(std::move(shown));
  }
  if (dag.size() > kMostTasksShown) {
    tasks.push_back(json::value(turn.Say(Reason::kMoreEntries, dag.size() - kMostTasksShown)));
  }
  return tasks;
}

json::array FilesShown(Turn& turn, const PlanState& plan, const std::vector<std::string>& referred) {
  json::array files;
  std::map<std::string, Content> known;
  if (plan.dag) known = plan.dag->files();
  for (const NamedContent& file : plan.goal->files()) known.insert_or_assign(file.name, file.content);
  std::vector<std::pair<std::string, Content>> all(known.begin(), known.end());
  std::ranges::stable_partition(
      all, [&](const auto& file) { return std::ranges::find(referred, file.first) != referred.end(); });
  for (const auto& [name, content] : all) {
    if (files.size() == kMostFilesShown) {
      files.push_back(json::value(turn.Say(Reason::kMoreEntries, all.size() - kMostFilesShown)));
      break;
    }
    files.push_back(json::object{
        {"name", name}, {"bytes", content.size}, {"begins", Shown(turn, content, kFirstLinesShown)}});
  }
  return files;
}

void ShowDependencies(Turn& turn, const PlanState& plan, const IntentAnalysis& intent,
                      json::object& context) {
  if (!plan.dag) return;
  const DagState& dag = *plan.dag;
  json::array contents;
  json::array attempts;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    const bool shown = intent.needs_current_task_context && contents.size() < kMostDependenciesShown;
    if (shown && (IsAtWork(dag, task) || IsReferredTo(dag, task, intent.referenced_entities)))
      contents.push_back(ContentOfTask(turn, dag, task));
    if (intent.needs_execution_history && attempts.size() < kMostDependenciesShown &&
        dag.Task(task).attempts > 0)
      attempts.push_back(AttemptsAt(turn, plan, task));
  }
  if (!contents.empty()) context["currentTasks"] = std::move(contents);
  if (!attempts.empty()) context["executionHistory"] = std::move(attempts);
}

json::object ResultToJudge(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node) {
  const TaskRecord& record = plan.dag->Task(task);
  json::object subject{{"subject", "result"},
                       {"goal", GoalAsUnderstood(plan)},
                       {"task", {{"id", node.task_id.str()}, {"description", node.prompt}}},
                       {"agent", node.assigned_agent_id.str()},
                       {"round", record.reworks + 1}};
  if (const StageWeight* said = plan.goal->FindExecutor(node.task_id)) {
    subject["thought"] = said->thought;
    subject["action"] = said->action;
    subject["params"] = ParsedOr(said->params);
    subject["expectedOutcome"] = said->expected_outcome;
    subject["risk"] = {{"level", ToString(said->risk)}, {"description", said->risk_description}};
    subject["confidence"] = said->confidence;
  }
  subject["toolCalls"] = TrailShown(turn, *plan.goal, node.task_id);
  json::array files;
  if (record.result) {
    for (const NamedContent& output : record.result->outputs) files.emplace_back(output.name);
    for (const NamedContent& file : record.result->beside) files.emplace_back(file.name);
  }
  subject["files"] = std::move(files);
  json::array given;
  for (const BoundInput& input : VisibleInputs(plan, task)) given.emplace_back(input.name);
  if (!given.empty()) subject["given"] = std::move(given);
  if (record.past && !record.past->rounds.empty() && record.result) {
    const PastRound& last = record.past->rounds.back();
    subject["askedFor"] = WordsAbout(last);
    subject["changed"] = ChangesSince(turn, last, *record.result);
  }
  return subject;
}

json::object TaskToDo(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node) {
  const Language language = turn.language();
  const DagState& dag = *plan.dag;
  json::array builds_on;
  for (const TaskIndex dependency : dag.DependenciesOf(task)) {
    const TaskRecord& record = dag.Task(dependency);
    json::object one{
        {"task", dag.IdOf(dependency).str()},
        {"description", OneLine(std::string(Utf8Prefix(dag.Node(dependency).prompt, kLineShown)))}};
    if (record.phase == TaskPhase::kSkipped) {
      one["skipped"] = Say(language, Phrase::kSkippedInput, dag.IdOf(dependency).str(),
                           record.note ? record.note->reason : std::string());
    }
    builds_on.push_back(std::move(one));
  }
  json::array used_by;
  for (const TaskIndex dependent : dag.DependentsOf(task)) {
    used_by.push_back(json::object{
        {"task", dag.IdOf(dependent).str()},
        {"agent", dag.AgentOf(dependent).str()},
        {"description", OneLine(std::string(Utf8Prefix(dag.Node(dependent).prompt, kLineShown)))}});
  }
  json::object todo{{"task", {{"id", node.task_id.str()}, {"description", node.prompt}}},
                    {"goal", GoalAsUnderstood(plan)},
                    {"buildsOn", std::move(builds_on)},
                    {"usedBy", std::move(used_by)}};
  json::array outputs;
  for (const TaskOutput& output : node.outputs) outputs.emplace_back(output.name);
  if (!outputs.empty()) todo["outputs"] = std::move(outputs);
  return todo;
}

}  // namespace agenttalk
