#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/journal.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/stored_request.h"

namespace agenttalk {

// A row of the journal in memory, of which any event can be decoded without those before it: a plan of a
// thousand tasks starts them all in one row, and each of them is written about by itself.
class HeldRow {
 public:
  static Result<std::shared_ptr<const HeldRow>> Open(std::string stream, std::uint64_t first_event,
                                                     std::string payload);
  HeldRow(const HeldRow&) = delete;
  HeldRow& operator=(const HeldRow&) = delete;

  [[nodiscard]] const std::string& stream() const { return stream_; }
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t last() const { return first_ + count_ - 1; }
  [[nodiscard]] std::size_t bytes() const;
  // The events from one to another, both of this row.
  Result<void> Decode(std::uint64_t from, std::uint64_t until,
                      const std::function<void(const Event&)>& visit) const;
  // Null when the row holds no such content.
  [[nodiscard]] const std::string_view* Find(const Digest& digest) const;

 private:
  HeldRow() = default;

  std::string stream_;
  std::uint64_t first_ = 0;
  std::uint32_t count_ = 0;
  std::string payload_;
  std::string_view events_;
  std::vector<std::uint32_t> places_;  // of its events; empty: they are few
  std::unordered_map<Digest, std::string_view> contents_;
};

// Rows of the journal, each read once for all who need it soon. Rows never change, so none goes stale. Any
// thread.
class RecentRows {
 public:
  explicit RecentRows(Journal& journal);

  // The row of this plan that holds this event; null when there is none.
  Result<std::shared_ptr<const HeldRow>> Find(const PlanId& plan, std::uint64_t event);
  Result<std::shared_ptr<const std::string>> Load(const Content& content);
  // As a function; this object must outlive it.
  [[nodiscard]] ContentLoader Loader();
  // Gives the memory back; what is asked for afterwards is read again.
  void Forget();

 private:
  // Rows that make room for each other.
  struct Shelf {
    std::size_t most_bytes = 0;  // of all together; the only one may be larger
    std::size_t bytes = 0;
    std::list<std::shared_ptr<const HeldRow>> rows = {};  // most recently used first
  };
  struct Place {
    Shelf* shelf;
    std::list<std::shared_ptr<const HeldRow>>::iterator row;
  };

  Result<std::shared_ptr<const HeldRow>> FindHere(std::uint64_t event) REQUIRES(mutex_);
  void Hold(std::shared_ptr<const HeldRow> row) REQUIRES(mutex_);

  Journal& journal_;
  Mutex mutex_;
  // The files of a large plan are made from its few large rows and from a small one for each task: the small
  // ones may not displace the large ones, each of which would be read again for every task.
  Shelf small_ GUARDED_BY(mutex_);
  Shelf large_ GUARDED_BY(mutex_);
  std::map<std::uint64_t, Place> by_event_ GUARDED_BY(mutex_);  // by their first event
};

}  // namespace agenttalk
