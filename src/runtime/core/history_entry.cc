#include "runtime/core/history_entry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/error.h"
#include "base/ids.h"
#include "engine/state/command_trails.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "journal/plan_directory.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/core/shown_task.h"

namespace agenttalk {
namespace {

// A plan with fewer commands is read as a whole sooner than two pages are.
constexpr std::size_t kFewestCommands = 256;
// A page of the journal's file holds two of these.
constexpr std::size_t kUsualPageBytes = 6000;

CommandPlace PlaceOf(const PlanState& plan, const CommandRecord& record) {
  return {record.id, record.agent, record.task, record.state, plan.trails.Of(record.index)};
}

HistoryEntry TaskEntry(const PlanState& plan, const TaskId& id) {
  HistoryEntry entry{.name = id.str(), .is_task = true, .task = {}, .commands = {}};
  const TaskIndex task = plan.dag ? plan.dag->Find(id) : DagState::kNone;
  if (task != DagState::kNone) entry.task = ShownTaskOf(plan, task);
  for (const std::uint32_t place : plan.CommandsOf(id)) {
    entry.commands.push_back(PlaceOf(plan, plan.commands[place]));
  }
  return entry;
}

HistoryEntry CommandEntry(const PlanState& plan, const CommandRecord& record) {
  return {.name = record.id.str(), .is_task = false, .task = {}, .commands = {PlaceOf(plan, record)}};
}

// Entries by their names, in pages. Nothing is kept beside them: there may be hundreds of thousands.
class PageWriter {
 public:
  PageWriter(std::size_t pages, const std::string& plan_state) {
    bytes_.Put(plan_state);
    pages_.reserve(pages);
    for (std::size_t i = 0; i < pages; ++i) {
      pages_.emplace_back().reserve(kUsualPageBytes + kUsualPageBytes / 4);
      pages_.back().append(bytes_.str());
    }
  }

  void Add(const HistoryEntry& entry) {
    bytes_.Clear();
    bytes_.Put(entry);
    pages_[PlanDirectory::PageOf(entry.name, pages_.size())].append(bytes_.str());
  }

  std::vector<std::string> Take() { return std::move(pages_); }

 private:
  ByteWriter bytes_;
  std::vector<std::string> pages_;
};

// By some of the plan's commands and their tasks.
std::size_t PagesFor(const PlanState& plan) {
  constexpr std::size_t kLookedAt = 64;
  const std::size_t step = plan.commands.size() / kLookedAt + 1;
  ByteWriter bytes;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < plan.commands.size(); i += step, ++looked_at) {
    const CommandRecord& record = plan.commands[i];
    bytes.Put(CommandEntry(plan, record));
    if (!record.task.empty()) bytes.Put(TaskEntry(plan, record.task));
  }
  return bytes.str().size() * plan.commands.size() / looked_at / kUsualPageBytes + 1;
}

}  // namespace

std::optional<HistoryEntry> EntryOf(const PlanState& plan, const std::string& name) {
  const TaskId task(name);
  const bool is_task =
      !plan.CommandsOf(task).empty() || (plan.dag && plan.dag->Find(task) != DagState::kNone);
  if (is_task) return TaskEntry(plan, task);
  const CommandRecord* record = plan.Find(CommandId(name));
  if (record == nullptr) return std::nullopt;
  return CommandEntry(plan, *record);
}

std::optional<PlanDirectory> DirectoryOf(const PlanState& plan) {
  // An open plan ends with each of its commands, again and again.
  const bool ends_once = plan.dag || plan.goal;
  if (!ends_once || plan.IsLivePlan() || plan.commands.size() < kFewestCommands) return std::nullopt;
  PageWriter writer(PagesFor(plan), PlanStateName(plan));
  const auto is_planned = [&](const TaskId& task) {
    return plan.dag && plan.dag->Find(task) != DagState::kNone;
  };
  std::unordered_set<TaskId> former;  // tasks that are not in the plan any more
  for (TaskIndex task = 0; plan.dag && task < plan.dag->size(); ++task) {
    writer.Add(TaskEntry(plan, plan.dag->IdOf(task)));
  }
  for (const CommandRecord& record : plan.commands) {
    const bool is_former = !record.task.empty() && !is_planned(record.task);
    if (is_former && former.insert(record.task).second) writer.Add(TaskEntry(plan, record.task));
  }
  for (const CommandRecord& record : plan.commands) {
    const TaskId name(record.id.str());
    if (!is_planned(name) && !former.contains(name)) writer.Add(CommandEntry(plan, record));
  }
  return PlanDirectory{.stream = plan.id, .version = plan.version, .pages = writer.Take()};
}

Result<std::optional<FoundEntry>> FindEntry(Journal& journal, const PlanId& plan, std::string_view name) {
  const std::optional<std::string> page = TRY(journal.DirectoryPage(plan, name));
  if (!page) return std::nullopt;
  FoundEntry found;
  ByteReader reader(*page);
  reader.Get(found.plan_state);
  while (reader.ok() && !reader.AtEnd()) {
    found.entry = {};
    reader.Get(found.entry);
    if (reader.ok() && found.entry.name == name) return found;
  }
  return std::nullopt;
}

}  // namespace agenttalk
