#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/state/command_trails.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "journal/plan_directory.h"
#include "runtime/core/shown_task.h"

namespace agenttalk {

// A command, and where its history is in the journal. Stored as ShownTask are.
struct CommandPlace {
  CommandId id;
  AgentId agent;
  TaskId task;
  CommandState state = CommandState::kWaitingInputs;
  std::vector<EventSpan> spans;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("id", self.id), f("agent", self.agent), f("task", self.task), f("state", self.state);
    f("spans", self.spans);
  }
};

// What `show`, `trace` and `log` need to know of the plan to tell about one task or command of it.
struct HistoryEntry {
  std::string name;
  bool is_task = false;
  std::optional<ShownTask> task;       // none: a command, or a task that the plan has no more
  std::vector<CommandPlace> commands;  // in order of arrival

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("is_task", self.is_task), f("task", self.task), f("commands", self.commands);
  }
};

// The entry and its plan's state as `plans` tells it.
struct FoundEntry {
  HistoryEntry entry;
  std::string plan_state;
};

// Of a plan in memory; none: it has neither a task nor a command of this name.
std::optional<HistoryEntry> EntryOf(const PlanState& plan, const std::string& name);

// Of a plan that has ended, for the journal; none when it is small enough to be read.
std::optional<PlanDirectory> DirectoryOf(const PlanState& plan);

// From the journal, without reading the plan; none: there is no directory, or nothing of this name in it.
Result<std::optional<FoundEntry>> FindEntry(Journal& journal, const PlanId& plan, std::string_view name);

}  // namespace agenttalk
