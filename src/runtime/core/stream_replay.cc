#include "runtime/core/stream_replay.h"

#include <pthread.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"

namespace agenttalk {
namespace {

// A thread costs more than reading fewer rows.
constexpr std::uint64_t kFewestRows = 4096;
// An event takes nearly a kilobyte: parts of four megabytes, few of them on their way. Smaller ones would
// have the threads wake each other for a tenth of the time.
constexpr std::size_t kEventsInPart = 4096;
constexpr std::size_t kMostParts = 3;

struct Part {
  std::vector<Event> events;
  std::uint64_t version = 0;
};

// Parts on their way from the thread that reads to the one that applies, and back to be filled again.
class Conveyor {
 public:
  // An empty part, perhaps with room.
  Part TakeEmpty() {
    MutexLock lock(mutex_);
    if (made_ < kMostParts) {
      ++made_;
      return {};
    }
    while (empty_.empty()) lock.Wait(changed_);
    Part part = std::move(empty_.back());
    empty_.pop_back();
    return part;
  }
  void GiveEmpty(Part part) {
    {
      const MutexLock lock(mutex_);
      empty_.push_back(std::move(part));
    }
    changed_.notify_one();
  }
  void GiveFull(Part part) {
    {
      const MutexLock lock(mutex_);
      full_.push_back(std::move(part));
    }
    changed_.notify_one();
  }
  void End() {
    {
      const MutexLock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_one();
  }
  // Nothing: there are no more.
  std::optional<Part> TakeFull() {
    MutexLock lock(mutex_);
    while (full_.empty() && !ended_) lock.Wait(changed_);
    if (full_.empty()) return std::nullopt;
    Part part = std::move(full_.front());
    full_.pop_front();
    return part;
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Part> full_ GUARDED_BY(mutex_);
  std::vector<Part> empty_ GUARDED_BY(mutex_);
  std::size_t made_ GUARDED_BY(mutex_) = 0;
  bool ended_ GUARDED_BY(mutex_) = false;
};

// Fills parts with the events of rows; `give` takes a full one and returns an empty one.
Result<void> Decode(Journal& journal, const PlanId& stream, const ReplayRange& range, Part& part,
                    const std::function<void()>& give) {
  Result<void> decoded;
  TRY(journal.ReadStream(stream, range.after_version, [&](const JournalRowView& row) {
    if (row.first_event > range.until_event) return false;
    decoded = DecodeEvents(stream, row.first_event, row.event_count, row.events, part.events);
    if (!decoded) return false;
    part.version = row.version;
    if (part.events.size() >= kEventsInPart) give();
    return true;
  }));
  return decoded;
}

}  // namespace

Result<void> ReplayStream(Journal& journal, const PlanId& stream, const ReplayRange& range,
                          const std::function<void(std::span<const Event>, std::uint64_t version)>& apply) {
  const auto info = TRY(journal.FindStream(stream));
  Part part;
  if (!info || info->version < range.after_version + kFewestRows) {
    const auto apply_part = [&] {
      if (!part.events.empty()) apply(part.events, part.version);
      part.events.clear();
    };
    Result<void> decoded = Decode(journal, stream, range, part, apply_part);
    apply_part();  // what was before the damage counts
    return decoded;
  }
  Conveyor conveyor;
  Result<void> decoded;
  std::thread reader([&] {
    part = conveyor.TakeEmpty();
    decoded = Decode(journal, stream, range, part, [&] {
      conveyor.GiveFull(std::move(part));
      part = conveyor.TakeEmpty();
      part.events.clear();  // here, where its strings were made
    });
    if (!part.events.empty()) conveyor.GiveFull(std::move(part));
    conveyor.End();
  });
  pthread_setname_np(reader.native_handle(), "replay");
  while (std::optional<Part> full = conveyor.TakeFull()) {
    apply(full->events, full->version);
    conveyor.GiveEmpty(*std::move(full));
  }
  reader.join();
  return decoded;
}

}  // namespace agenttalk
