#include "api/show_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/suggestion.h"
#include "base/time.h"
#include "base/utf8.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/history_entry.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/core/record_name.h"
#include "runtime/history/command_history.h"
#include "runtime/history/command_view.h"
#include "runtime/history/cost_json.h"
#include "runtime/history/history_reader.h"
#include "runtime/hub.h"
#include "runtime/reports/plan_report.h"
#include "runtime/reports/plan_trace.h"
#include "runtime/reports/task_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

ContentLoader LoaderOf(Hub& hub) {
  return [&hub](const Content& content) { return hub.core().contents().Load(content); };
}

std::unexpected<Error> NothingOfThatName(const PlanState& plan, const std::string& name) {
  std::vector<std::string> known;
  for (TaskIndex i = 0; plan.dag && i < plan.dag->size(); ++i) known.push_back(plan.dag->IdOf(i).str());
  for (const CommandRecord& record : plan.commands) known.push_back(record.id.str());
  const std::vector<std::string_view> names(known.begin(), known.end());
  std::string hint = names.size() > 10'000 ? std::string() : DidYouMean(name, names);
  if (hint.empty()) hint = fmt::format("see `agenttalk show {}`", plan.id.str());
  return Fail(ErrorCode::kTaskUnknown, fmt::format("{} has no task or command {}", plan.id.str(), name),
              std::move(hint));
}

// A task or a command of a plan. One of a large plan that has ended is found without reading the plan.
Result<FoundEntry> FindSubject(Hub& hub, const PlanId& id, const std::string& name) {
  if (hub.core().FindLoaded(id) == nullptr) {
    if (auto found = TRY(FindEntry(hub.journal(), id, name))) return *std::move(found);
  }
  const PlanState* plan = TRY(FindPlan(hub, id));
  auto entry = EntryOf(*plan, name);
  if (!entry) return NothingOfThatName(*plan, name);
  return FoundEntry{*std::move(entry), PlanStateName(*plan)};
}

Result<PlanHistory> HistoryOf(Hub& hub, const PlanId& plan, const HistoryEntry& subject) {
  std::vector<EventSpan> spans;
  for (const CommandPlace& command : subject.commands) {
    spans.insert(spans.end(), command.spans.begin(), command.spans.end());
  }
  return ReadHistory(hub.journal(), plan, spans, hub.core().committed());
}

Result<json::value> ShowSubject(Hub& hub, const PlanId& plan, const std::string& name,
                                std::uint64_t attempt) {
  const HistoryEntry subject = TRY(FindSubject(hub, plan, name)).entry;
  const PlanHistory history = TRY(HistoryOf(hub, plan, subject));
  const ContentLoader load = LoaderOf(hub);
  json::array commands;
  for (const CommandPlace& place : subject.commands) {
    const CommandHistory* found = history.Find(place.id);
    if (found == nullptr) continue;
    CommandHistory command = *found;
    if (attempt != 0) {
      std::erase_if(command.attempts, [&](const AttemptHistory& one) { return one.number != attempt; });
    }
    // What the state knows better than the events: what it waits for at this moment.
    command.state = EnumName(place.state);
    commands.push_back(TRY(CommandViewJson(plan, command, load)));
  }
  json::object object{{"plan_id", plan.str()}, {"task", nullptr}, {"commands", std::move(commands)}};
  if (!subject.is_task) return object;
  const TextOfContent text = TextsOf(load);
  json::array decisions;
  for (const TaskHistory& task : history.tasks()) {
    if (task.id.str() != subject.name) continue;
    for (const DecisionHistory& one : task.decisions) decisions.push_back(DecisionJson(one, text));
  }
  json::object about{{"task_id", subject.name}};
  if (subject.task) about = ShownTaskJson(*subject.task);
  about["decisions"] = std::move(decisions);
  object["task"] = std::move(about);
  return object;
}

json::array FilesOf(const PlanState& plan) {
  std::map<std::string, Content> files;
  for (const auto& [agent, inbox] : plan.inboxes) {
    for (const auto& [name, version] : inbox.files) files[std::string(name)] = version.content;
  }
  if (plan.dag) {
    for (const auto& [name, content] : plan.dag->files()) files[name] = content;
    for (const auto& [name, content] : plan.dag->delivered()) files[name] = content;
  }
  json::array array;
  for (const auto& [name, content] : files) array.push_back(FileJson({name, content}));
  return array;
}

std::size_t SucceededCommands(const PlanState& plan) {
  return static_cast<std::size_t>(
      std::ranges::count(plan.commands, CommandState::kSucceeded, &CommandRecord::state));
}

// Those that somebody has to answer before the plan continues.
json::array OpenQuestions(const PlanState& plan) {
  json::array ids;
  for (const auto& [number, question] : plan.people.questions()) {
    if (question.asked.kind != QuestionKind::kAlert) ids.emplace_back(QuestionName(number));
  }
  return ids;
}

json::array DeliverablesOf(const PlanState& plan, std::uint64_t rows) {
  json::array files;
  if (!plan.dag) return files;
  for (const auto& [name, content] : plan.dag->delivered()) {
    if (files.size() == rows) break;
    files.push_back(FileJson({name, content}));
  }
  return files;
}

// For people: the first rows of each list, and how many there are. Making all of a very large plan's rows
// takes longer than anybody would look at them.
json::object OverviewJson(const PlanState& plan, std::uint64_t rows) {
  json::array tasks;
  const TaskIndex size = plan.dag ? plan.dag->size() : 0;
  for (TaskIndex task = 0; task < size && tasks.size() < rows; ++task)
    tasks.push_back(OneTaskJson(plan, task));
  json::array commands;
  std::uint64_t told = 0;
  for (const CommandRecord& record : plan.commands) {
    // Of a task's commands only those that something is to be said about.
    if (!record.task.empty() && record.state == CommandState::kSucceeded) continue;
    if (++told <= rows) commands.push_back(OneCommandJson(plan, record));
  }
  json::array files = FilesOf(plan);
  const std::size_t files_total = files.size();
  if (files.size() > rows) files.resize(rows);
  const std::string failure = plan.HasFailedGoal() ? plan.goal->failure()
                              : plan.dag           ? plan.dag->failure()
                                                   : std::string();
  return {{"plan_id", plan.id.str()},
          {"state", PlanStateName(plan)},
          {"goal", plan.dag    ? json::value(plan.dag->goal())
                   : plan.goal ? json::value(plan.goal->words())
                               : json::value()},
          {"failure", failure.empty() ? json::value() : json::value(failure)},
          {"tasks", std::move(tasks)},
          {"tasks_total", size},
          {"completed", plan.dag ? plan.dag->completed() : SucceededCommands(plan)},
          {"total", plan.dag ? std::size_t{size} : plan.commands.size()},
          {"questions", OpenQuestions(plan)},
          {"deliverables", DeliverablesOf(plan, rows)},
          {"commands", std::move(commands)},
          {"commands_total", told},
          {"files", std::move(files)},
          {"files_total", files_total},
          {"tokens", TokensJson(plan.spent)},
          {"cost_usd", CostUsd(plan.spent)}};
}

// One version of a file, in the order in which they came up.
struct FileFound {
  std::uint64_t event = 0;
  Content content;
  std::string from;
};

void CollectVersions(const Event& event, const std::string& name, std::vector<FileFound>& found) {
  const auto add = [&](const std::string& named, const Content& content, const std::string& from) {
    if (named != name) return;
    const bool known = std::ranges::any_of(
        found, [&](const FileFound& one) { return one.content.digest == content.digest; });
    if (!known) found.push_back({event.number, content, from});
  };
  const auto add_all = [&](const std::vector<NamedContent>& files, const std::string& from) {
    for (const NamedContent& file : files) add(file.name, file.content, from);
  };
  if (const auto* arrived = std::get_if<InputArrived>(&event.body)) {
    add(arrived->name, arrived->content, arrived->from.str());
  } else if (const auto* done = std::get_if<CommandSucceeded>(&event.body)) {
    add_all(done->outputs, done->command_id.str());
    add_all(done->beside, done->command_id.str());
  } else if (const auto* dag = std::get_if<DagAdopted>(&event.body)) {
    add_all(dag->files, dag->author);
  } else if (const auto* output = std::get_if<OutputFound>(&event.body)) {
    add(output->name, output->content, output->agent_id.str());
  } else if (const auto* task = std::get_if<TaskCompleted>(&event.body)) {
    add_all(task->outputs, task->command_id.str());
    add_all(task->deliverables, task->command_id.str());
  } else if (const auto* tool = std::get_if<ToolCallFinished>(&event.body)) {
    add_all(tool->captured, tool->command_id.str());
  } else if (const auto* asked = std::get_if<QuestionAsked>(&event.body)) {
    add_all(asked->before, asked->from.str());
    add_all(asked->files, asked->from.str());
  } else if (const auto* forked = std::get_if<PlanForked>(&event.body)) {
    for (const InheritedResult& one : forked->results) add_all(one.outputs, one.command_id.str());
  }
}

Result<std::vector<FileFound>> VersionsOf(Hub& hub, const PlanId& plan, const std::string& name) {
  std::vector<FileFound> found;
  Result<void> decoded;
  TRY(hub.journal().ReadStream(plan, 0, [&](const JournalRowView& row) {
    if (row.first_event > hub.core().committed()) return false;
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events,
                           [&](const Event& event) { CollectVersions(event, name, found); });
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  return found;
}

Result<std::size_t> ChooseVersion(const std::vector<FileFound>& versions, const std::string& name,
                                  const std::string& wanted) {
  if (wanted.empty()) return versions.size() - 1;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
  if (is_number && number >= 1 && number <= versions.size()) return number - 1;
  constexpr std::size_t kFewestDigits = 6;
  for (std::size_t i = 0; wanted.size() >= kFewestDigits && i < versions.size(); ++i) {
    if (versions[i].content.digest.Hex().starts_with(wanted)) return i;
  }
  return Fail(
      ErrorCode::kNotFound, fmt::format("{} has no version {}", name, wanted),
      fmt::format("it has versions 1 to {}; a version may also be given by its SHA-256", versions.size()));
}

}  // namespace

Result<json::value> QueryShow(Hub& hub, const json::object& parameters) {
  const PlanId id = TRY(PlanOf(parameters));
  const std::string what = TRY(OptionalText(parameters, "what"));
  const std::uint64_t attempt = TRY(OptionalNumber(parameters, "attempt", 0));
  if (!what.empty()) return ShowSubject(hub, id, what, attempt);
  const PlanState* plan = TRY(FindPlan(hub, id));
  if (const std::uint64_t rows = TRY(OptionalNumber(parameters, "rows", 0)); rows > 0) {
    json::object overview = OverviewJson(*plan, rows);
    overview["active"] = !plan->completed && hub.WorksOn(plan->id);
    return json::value(std::move(overview));
  }
  json::object status = PlanStatusJson(*plan);
  status["files"] = FilesOf(*plan);
  return json::value(std::move(status));
}

Result<json::value> QueryFile(Hub& hub, const json::object& parameters) {
  const PlanId id = TRY(PlanOf(parameters));
  const std::string name = TRY(Text(parameters, "name"));
  const std::string wanted = TRY(OptionalText(parameters, "version"));
  TRY(FindPlan(hub, id));
  const std::vector<FileFound> versions = TRY(VersionsOf(hub, id, name));
  if (versions.empty()) {
    return Fail(ErrorCode::kNotFound, fmt::format("{} has no file {}", id.str(), name),
                fmt::format("`agenttalk show {}` lists its files", id.str()));
  }
  const std::size_t chosen = TRY(ChooseVersion(versions, name, wanted));
  const auto bytes = TRY(hub.core().contents().Load(versions[chosen].content));
  json::array list;
  for (const FileFound& one : versions) {
    json::object object = FileJson({name, one.content});
    object["version"] = list.size() + 1;
    object["seq"] = one.event;
    object["from"] = one.from.empty() ? json::value() : json::value(one.from);
    list.push_back(std::move(object));
  }
  json::object object = FileJson({name, versions[chosen].content});
  object["version"] = chosen + 1;
  object["versions"] = std::move(list);
  object["content_base64"] = EncodeBase64(*bytes);
  return json::value(std::move(object));
}

Result<json::value> QueryTrace(Hub& hub, const json::object& parameters) {
  const PlanId id = TRY(PlanOf(parameters));
  const std::string what = TRY(OptionalText(parameters, "what"));
  json::object trace;
  PlanHistory history;
  if (what.empty()) {
    trace["state"] = PlanStateName(*TRY(FindPlan(hub, id)));
    history = TRY(ReadPlanHistory(hub.journal(), id, hub.core().committed()));
  } else {
    const FoundEntry subject = TRY(FindSubject(hub, id, what));
    trace["state"] = subject.plan_state;
    history = TRY(HistoryOf(hub, id, subject.entry));
  }
  const ContentLoader load = LoaderOf(hub);
  for (auto& member : PlanTraceJson(id, history, load)) trace[member.key()] = std::move(member.value());
  return json::value(std::move(trace));
}

}  // namespace agenttalk
