#include "runtime/history/recent_rows.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/journal.h"
#include "journal/row_format.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/stored_request.h"

namespace agenttalk {
namespace {

constexpr std::size_t kLargeRow = std::size_t{512} << 10;
constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::size_t kMostLargeBytes = std::size_t{48} << 20;
// Of fewer events all are decoded each time.
constexpr std::uint32_t kFewEvents = 32;
constexpr std::size_t kOverhead = 512;

}  // namespace

Result<std::shared_ptr<const HeldRow>> HeldRow::Open(std::string stream, std::uint64_t first_event,
                                                     std::string payload) {
  const std::shared_ptr<HeldRow> row(new HeldRow());
  row->stream_ = std::move(stream);
  row->first_ = first_event;
  row->payload_ = std::move(payload);
  const std::optional<RowPayload> opened = DecodePayload(row->payload_);
  if (!opened) {
    return Fail(ErrorCode::kJournalDamaged, fmt::format("the row of event {} cannot be read", first_event));
  }
  row->count_ = opened->event_count;
  row->events_ = opened->events;
  if (row->count_ > kFewEvents) row->places_ = TRY(FindEvents(first_event, row->count_, row->events_));
  ByteReader reader(opened->contents);
  while (!reader.AtEnd() && reader.ok()) {
    Digest digest;
    reader.Get(digest);
    const std::string_view bytes = reader.Bytes();
    if (reader.ok()) row->contents_.emplace(digest, bytes);
  }
  return row;
}

std::size_t HeldRow::bytes() const {
  constexpr std::size_t kContentOverhead = 80;
  return payload_.size() + places_.size() * sizeof(std::uint32_t) + contents_.size() * kContentOverhead +
         kOverhead;
}

Result<void> HeldRow::Decode(std::uint64_t from, std::uint64_t until,
                             const std::function<void(const Event&)>& visit) const {
  const PlanId plan(stream_);
  if (!places_.empty()) return DecodeSomeEvents(plan, first_, places_, events_, from, until, visit);
  return DecodeEvents(plan, first_, count_, events_, [&](const Event& event) {
    if (event.number >= from && event.number <= until) visit(event);
  });
}

const std::string_view* HeldRow::Find(const Digest& digest) const {
  const auto found = contents_.find(digest);
  return found == contents_.end() ? nullptr : &found->second;
}

RecentRows::RecentRows(Journal& journal)
    : journal_(journal), small_{.most_bytes = kMostBytes}, large_{.most_bytes = kMostLargeBytes} {}

Result<std::shared_ptr<const HeldRow>> RecentRows::Find(const PlanId& plan, std::uint64_t event) {
  {
    const MutexLock lock(mutex_);
    std::shared_ptr<const HeldRow> row = TRY(FindHere(event));
    if (row && row->stream() == plan.str()) return row;
  }
  // One that came from another journal: its events may have the numbers of others here.
  std::shared_ptr<const HeldRow> row;
  Result<void> opened;
  TRY(journal_.ReadRow(plan, event, [&](const JournalRowView& view) {
    JournalRow copy;
    copy.event_count = view.event_count;
    copy.events = view.events;
    std::string payload;
    EncodePayload(copy, payload);
    auto held = HeldRow::Open(plan.str(), view.first_event, std::move(payload));
    if (held) {
      row = *std::move(held);
    } else {
      opened = std::unexpected(std::move(held).error());
    }
    return false;
  }));
  TRY(std::move(opened));
  return row;
}

Result<std::shared_ptr<const HeldRow>> RecentRows::FindHere(std::uint64_t event) {
  const auto after = by_event_.upper_bound(event);
  if (after != by_event_.begin()) {
    const auto [shelf, row] = std::prev(after)->second;
    if (event <= (*row)->last()) {
      shelf->rows.splice(shelf->rows.begin(), shelf->rows, row);
      return shelf->rows.front();
    }
  }
  std::vector<RowCopy> copies = TRY(journal_.CopyRows(event));
  std::shared_ptr<const HeldRow> first;
  for (RowCopy& copy : copies) {
    auto row = TRY(HeldRow::Open(std::move(copy.stream), copy.first_event, std::move(copy.payload)));
    if (!first) first = row;
    Hold(std::move(row));
  }
  return first;
}

void RecentRows::Hold(std::shared_ptr<const HeldRow> row) {
  if (by_event_.contains(row->first())) return;
  Shelf& shelf = row->bytes() < kLargeRow ? small_ : large_;
  shelf.bytes += row->bytes();
  shelf.rows.push_front(std::move(row));
  by_event_[shelf.rows.front()->first()] = {&shelf, shelf.rows.begin()};
  while (shelf.bytes > shelf.most_bytes && shelf.rows.size() > 1) {
    shelf.bytes -= shelf.rows.back()->bytes();
    by_event_.erase(shelf.rows.back()->first());
    shelf.rows.pop_back();
  }
}

void RecentRows::Forget() {
  const MutexLock lock(mutex_);
  by_event_.clear();
  for (Shelf* shelf : {&small_, &large_}) {
    shelf->rows.clear();
    shelf->bytes = 0;
  }
}

Result<std::shared_ptr<const std::string>> RecentRows::Load(const Content& content) {
  if (content.row != 0) {
    const MutexLock lock(mutex_);
    const std::shared_ptr<const HeldRow> row = TRY(FindHere(content.row));
    const std::string_view* bytes = row && row->first() == content.row ? row->Find(content.digest) : nullptr;
    // Otherwise the journal says what is wrong with it.
    if (bytes != nullptr && Sha256(*bytes) == content.digest) {
      return std::make_shared<const std::string>(*bytes);
    }
  }
  return std::make_shared<const std::string>(TRY(journal_.ReadContent(content)));
}

ContentLoader RecentRows::Loader() {
  return [this](const Content& content) { return Load(content); };
}

}  // namespace agenttalk
