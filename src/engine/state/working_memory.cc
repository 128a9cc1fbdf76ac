#include "engine/state/working_memory.h"

#include <cstdint>

#include "base/ids.h"
#include "model/events/thinking_events.h"

namespace agenttalk {
namespace {

std::uint64_t BytesOf(const Notebook& book) {
  std::uint64_t bytes = 0;
  for (const MemoryEntry& entry : book.entries) bytes += entry.text.size;
  return bytes;
}

}  // namespace

const Notebook* WorkingMemory::Find(const AgentId& agent, const TaskId& task) const {
  const auto books = books_.find(agent);
  if (books == books_.end()) return nullptr;
  const auto book = books->second.find(task);
  return book == books->second.end() ? nullptr : &book->second;
}

bool WorkingMemory::Holds(const AgentId& agent, const TaskId& task) const {
  if (agent.empty()) return !books_.empty();
  return Find(agent, task) != nullptr || Find(agent, {}) != nullptr;
}

void WorkingMemory::Write(const AgentId& agent, const TaskId& task, const MemoryEntry& entry) {
  Notebook& book = books_[agent][task];
  book.entries.push_back(entry);
  // The newest stays, however large it is.
  while (book.entries.size() > 1 &&
         (book.entries.size() > Notebook::kMostEntries || BytesOf(book) > Notebook::kMostBytes)) {
    book.entries.erase(book.entries.begin());
    ++book.dropped;
  }
}

void WorkingMemory::Clear(const AgentId& agent, const TaskId& task) {
  if (agent.empty()) {
    books_.clear();
    return;
  }
  const auto books = books_.find(agent);
  if (books == books_.end()) return;
  books->second.erase(task);
  books->second.erase(TaskId());
  if (books->second.empty()) books_.erase(books);
}

}  // namespace agenttalk
