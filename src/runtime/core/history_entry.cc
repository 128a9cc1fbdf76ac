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

// Names of entries and their bytes, in pages.
class PageWriter {
 public:
  explicit PageWriter(std::size_t names) : entries_() { entries_.reserve(names); }

  void Add(const HistoryEntry& entry) {
    bytes_.Clear();
    bytes_.Put(entry);
    entries_.emplace_back(entry.name, bytes_.str());
    size_ += bytes_.str().size();
  }

  std::vector<std::string> Pages(const std::string& plan_state) {
    const std::size_t count = size_ / kUsualPageBytes + 1;
    bytes_.Clear();
    bytes_.Put(plan_state);
    std::vector<std::string> pages(count, std::string(bytes_.str()));
    for (const auto& [name, bytes] : entries_) pages[PlanDirectory::PageOf(name, count)].append(bytes);
    return pages;
  }

 private:
  ByteWriter bytes_;
  std::vector<std::pair<std::string, std::string>> entries_;
  std::size_t size_ = 0;
};

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
  PageWriter writer(2 * plan.commands.size());
  std::unordered_set<TaskId> tasks;
  for (TaskIndex task = 0; plan.dag && task < plan.dag->size(); ++task) tasks.insert(plan.dag->IdOf(task));
  for (const CommandRecord& record : plan.commands) {
    if (!record.task.empty()) tasks.insert(record.task);
  }
  for (const TaskId& task : tasks) writer.Add(TaskEntry(plan, task));
  for (const CommandRecord& record : plan.commands) {
    if (!tasks.contains(TaskId(record.id.str()))) writer.Add(CommandEntry(plan, record));
  }
  return PlanDirectory{
      .stream = plan.id, .version = plan.version, .pages = writer.Pages(PlanStateName(plan))};
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
