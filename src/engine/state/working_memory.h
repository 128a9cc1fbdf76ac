#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "model/events/thinking_events.h"

// What agents keep in mind while they work: per agent and task, and, without a task, what others told them.
// It is part of a plan's state, changed by events alone, and bounded: the oldest goes first, and is counted.
namespace agenttalk {

struct Notebook {
  static constexpr std::size_t kMostEntries = 64;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 10;

  std::vector<MemoryEntry> entries;
  std::uint64_t dropped = 0;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("entries", self.entries), f("dropped", self.dropped);
  }
};

class WorkingMemory {
 public:
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("books", self.books_);
  }

  [[nodiscard]] bool empty() const { return books_.empty(); }
  // Null: there is nothing.
  [[nodiscard]] const Notebook* Find(const AgentId& agent, const TaskId& task) const;
  // Whether clearing the task would change anything.
  [[nodiscard]] bool Holds(const AgentId& agent, const TaskId& task) const;

  void Write(const AgentId& agent, const TaskId& task, const MemoryEntry& entry);
  // The task's book, and the one without a task. No agent: everything.
  void Clear(const AgentId& agent, const TaskId& task);

 private:
  std::map<AgentId, std::map<TaskId, Notebook>> books_;
};

}  // namespace agenttalk
