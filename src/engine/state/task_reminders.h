#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace agenttalk {

using TaskIndex = std::uint32_t;

// Tasks to look at, because of what the last events of their plan made possible. The fold adds to it, the
// turn takes from it (Turn::RemindersOf); no decision depends on an entry alone, since each is checked
// against the tasks' records when it is taken. None of it is stored: it is made again when a plan is read.
struct TaskReminders {
  std::deque<TaskIndex> afflicted;             // have a dependency that failed
  std::deque<TaskIndex> recheck;               // have a gate for which there may be news
  std::deque<TaskIndex> spared;                // fallbacks that may not be needed any more
  std::vector<std::deque<TaskIndex>> backlog;  // by agent: ready, no command made yet
  std::deque<std::uint32_t> offered;           // agents whose backlog has grown, or who have room again
};

}  // namespace agenttalk
