#include "journal/memory_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/time.h"
#include "journal/journal.h"
#include "journal/plan_directory.h"
#include "journal/plan_summary.h"
#include "journal/row_check.h"
#include "journal/row_format.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

JournalRowView ViewOf(const JournalRow& row) {
  return {.stream = row.stream.str(),
          .version = row.version,
          .first_event = row.first_event,
          .event_count = row.event_count,
          .events = row.events};
}

void KeepSummary(std::optional<PlanSummary>& kept, const PlanSummary& summary, std::uint64_t next_order) {
  const Timestamp created = kept ? kept->created_at : summary.created_at;
  const std::uint64_t order = kept ? kept->order : next_order;
  kept = summary;
  kept->created_at = created;
  kept->order = order;
}

bool HasText(const PlanSummary& summary, const std::string& text) {
  const auto is_same = [](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return lower(a) == lower(b);
  };
  return !std::ranges::search(summary.plan.str(), text, is_same).empty() ||
         !std::ranges::search(summary.goal, text, is_same).empty();
}

bool Fits(const PlanSummary& summary, const SummaryQuery& query) {
  return (query.state.empty() || summary.state == query.state) && summary.updated_at >= query.since &&
         summary.updated_at < query.until && (!query.with_letters || summary.letters > 0) &&
         (query.tag.empty() || std::ranges::find(summary.tags, query.tag) != summary.tags.end()) &&
         (query.text.empty() || HasText(summary, query.text));
}

}  // namespace

Result<std::uint64_t> MemoryJournal::BeginEpoch() {
  const MutexLock lock(mutex_);
  return ++epoch_;
}

Result<void> MemoryJournal::Commit(std::span<const Append> appends, std::uint64_t epoch) {
  const MutexLock lock(mutex_);
  if (epoch != epoch_ || epoch == 0) return std::unexpected(FencedError(epoch, epoch_));
  const Result<void> checked = Check(appends);
  for (Stream* stream : staged_) stream->staged_version = stream->rows.size();
  staged_.clear();
  TRY(checked);
  for (const Append& append : appends) Apply(append);
  return {};
}

Result<void> MemoryJournal::Check(std::span<const Append> appends) {
  std::uint64_t last_event = last_event_;
  for (const Append& append : appends) {
    TRY(CheckChanges(append));
    if (append.skip_to != 0) last_event = std::max(last_event, append.skip_to - 1);
    for (const JournalRow& row : append.rows) {
      TRY(CheckRow(row, last_event));
      last_event += row.event_count;
    }
    for (const Snapshot& snapshot : append.snapshots) {
      const auto found = streams_.find(snapshot.stream);
      const std::uint64_t version = found == streams_.end() ? 0 : found->second.staged_version;
      TRY(CheckCovered(snapshot, last_event, version));
    }
  }
  return {};
}

Result<void> MemoryJournal::CheckRow(const JournalRow& row, std::uint64_t last_event) {
  Stream& stream = streams_[row.stream];
  TRY(CheckContinues(row, last_event, stream.staged_version));
  ++stream.staged_version;
  staged_.push_back(&stream);
  return {};
}

Result<void> MemoryJournal::CheckChanges(const Append& append) {
  for (const Removal& removal : append.removals) {
    const auto found = streams_.find(removal.stream);
    if (found == streams_.end() || found->second.rows.empty() || found->second.live) {
      return Fail(ErrorCode::kVersionConflict, "the stream cannot be removed");
    }
  }
  for (const ImportedStream& stream : append.imports) {
    const auto found = streams_.find(stream.stream);
    if (found != streams_.end() && !found->second.rows.empty()) {
      return Fail(ErrorCode::kVersionConflict, "the stream is there already");
    }
  }
  return {};
}

void MemoryJournal::Remove(const Removal& removal) {
  const auto found = streams_.find(removal.stream);
  for (const JournalRow* one : found->second.rows) {
    auto& row = const_cast<JournalRow&>(*one);
    row.version = 0;
    row.events.clear();
    std::erase_if(row.contents, [&](const NewContent& content) {
      return std::ranges::none_of(removal.kept, [&](const Content& kept) {
        return kept.row == row.first_event && kept.digest == content.digest;
      });
    });
  }
  std::erase(stream_order_, &found->first);
  streams_.erase(found);
  for (const Digest& digest : removal.blobs) blobs_.erase(digest);
}

void MemoryJournal::Import(const ImportedStream& imported) {
  const auto entry = streams_.try_emplace(imported.stream).first;
  Stream& stream = entry->second;
  stream_order_.push_back(&entry->first);
  for (const ImportedRow& one : imported.rows) {
    JournalRow row;
    row.stream = imported.stream;
    row.version = stream.rows.size() + 1;
    row.first_event = one.first_event;
    row.event_count = one.event_count;
    row.events = one.events;
    stream.rows.push_back(&imported_.emplace_back(std::move(row)));
  }
  stream.staged_version = stream.imported = stream.rows.size();
  stream.live = false;
  if (imported.summary) KeepSummary(stream.summary, *imported.summary, stream_order_.size());
}

void MemoryJournal::Apply(const Append& append) {
  for (const Removal& removal : append.removals) Remove(removal);
  if (append.skip_to > last_event_ + 1) {
    JournalRow gap;
    gap.version = 0;
    gap.first_event = last_event_ + 1;
    gap.event_count = static_cast<std::uint32_t>(append.skip_to - last_event_ - 1);
    last_event_ += gap.event_count;
    rows_.push_back(std::move(gap));
  }
  for (const ImportedStream& stream : append.imports) Import(stream);
  for (const JournalRow& row : append.rows) {
    const auto found = streams_.find(row.stream);
    Stream& stream = found->second;
    if (stream.rows.empty()) stream_order_.push_back(&found->first);
    stream.rows.push_back(&rows_.emplace_back(row));
    stream.staged_version = stream.rows.size();
    stream.live = row.live;
    if (row.summary) KeepSummary(stream.summary, *row.summary, stream_order_.size());
    last_event_ += row.event_count;
  }
  for (const NewContent& blob : append.blobs) blobs_.try_emplace(blob.digest, blob.bytes);
  for (const Snapshot& snapshot : append.snapshots) streams_[snapshot.stream].snapshot = snapshot;
  for (const PlanDirectory& directory : append.directories) streams_[directory.stream].directory = directory;
}

Result<std::uint64_t> MemoryJournal::LastEvent() {
  const MutexLock lock(mutex_);
  return last_event_;
}

Result<std::vector<StreamInfo>> MemoryJournal::Streams(bool live_only) {
  const MutexLock lock(mutex_);
  std::vector<StreamInfo> infos;
  for (const PlanId* id : stream_order_) {
    const Stream& stream = streams_.at(*id);
    if (!stream.live && live_only) continue;
    infos.push_back({*id, stream.rows.size(), stream.live, stream.imported});
  }
  return infos;
}

Result<std::optional<StreamInfo>> MemoryJournal::FindStream(const PlanId& stream) {
  const MutexLock lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end() || found->second.rows.empty()) return std::nullopt;
  return StreamInfo{stream, found->second.rows.size(), found->second.live, found->second.imported};
}

Result<std::optional<Snapshot>> MemoryJournal::LatestSnapshot(const PlanId& stream) {
  const MutexLock lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return std::nullopt;
  return found->second.snapshot;
}

Result<std::optional<std::string>> MemoryJournal::DirectoryPage(const PlanId& stream, std::string_view name) {
  const MutexLock lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return std::nullopt;
  const std::optional<PlanDirectory>& directory = found->second.directory;
  if (!directory || directory->pages.empty() || directory->version != found->second.rows.size()) {
    return std::nullopt;
  }
  return directory->pages[PlanDirectory::PageOf(name, directory->pages.size())];
}

// Rows are visited without the lock, so that a visitor may read on.
Result<void> MemoryJournal::ReadStream(const PlanId& stream, std::uint64_t after_version,
                                       const RowVisitor& visit) {
  std::vector<const JournalRow*> rows;
  {
    const MutexLock lock(mutex_);
    const auto found = streams_.find(stream);
    if (found == streams_.end() || found->second.rows.size() <= after_version) return {};
    rows.assign(found->second.rows.begin() + static_cast<std::ptrdiff_t>(after_version),
                found->second.rows.end());
  }
  for (const JournalRow* row : rows) {
    if (!visit(ViewOf(*row))) break;
  }
  return {};
}

Result<void> MemoryJournal::ReadAll(std::uint64_t after_event, const RowVisitor& visit) {
  std::vector<const JournalRow*> rows;
  {
    const MutexLock lock(mutex_);
    const auto first = std::ranges::upper_bound(rows_, after_event, {}, &JournalRow::first_event);
    rows.reserve(static_cast<std::size_t>(rows_.end() - first));
    for (auto row = first; row != rows_.end(); ++row) {
      if (row->version != 0) rows.push_back(&*row);
    }
  }
  for (const JournalRow* row : rows) {
    if (!visit(ViewOf(*row))) break;
  }
  return {};
}

Result<void> MemoryJournal::ReadRow(const PlanId& stream, std::uint64_t event, const RowVisitor& visit) {
  const JournalRow* held = nullptr;
  {
    const MutexLock lock(mutex_);
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return {};
    const auto& rows = found->second.rows;
    const auto after = std::ranges::upper_bound(rows, event, {}, &JournalRow::first_event);
    if (after == rows.begin()) return {};
    held = *std::prev(after);
  }
  if (event < held->first_event + held->event_count) visit(ViewOf(*held));
  return {};
}

Result<std::vector<RowCopy>> MemoryJournal::CopyRows(std::uint64_t event) {
  const MutexLock lock(mutex_);
  const auto after = std::ranges::upper_bound(rows_, event, {}, &JournalRow::first_event);
  if (after == rows_.begin()) return std::vector<RowCopy>();
  const JournalRow& row = *std::prev(after);
  if (row.version == 0 || event >= row.first_event + row.event_count) return std::vector<RowCopy>();
  RowCopy copy{row.stream.str(), row.first_event, {}};
  EncodePayload(row, copy.payload);
  std::vector<RowCopy> copies;
  copies.push_back(std::move(copy));
  return copies;
}

Result<std::string> MemoryJournal::ReadContent(const Content& content) {
  const MutexLock lock(mutex_);
  const auto row = std::ranges::lower_bound(rows_, content.row, {}, &JournalRow::first_event);
  if (content.row != 0 && row != rows_.end() && row->first_event == content.row) {
    const auto held = std::ranges::find(row->contents, content.digest, &NewContent::digest);
    if (held != row->contents.end()) return *held->bytes;
  }
  const auto found = blobs_.find(content.digest);
  if (found == blobs_.end()) return ContentMissing(content.digest);
  return *found->second;
}

Result<std::vector<PlanSummary>> MemoryJournal::Summaries(const SummaryQuery& query) {
  const MutexLock lock(mutex_);
  std::vector<PlanSummary> found;
  std::size_t counted = 0;
  for (const PlanId* id : std::views::reverse(stream_order_)) {
    const Stream& stream = streams_.at(*id);
    if (!stream.summary || stream.summary->order >= query.before || counted >= query.limit) continue;
    const bool exact = !stream.live && stream.summary->exact;
    if (exact && !Fits(*stream.summary, query)) continue;
    found.push_back(*stream.summary);
    found.back().exact = exact;
    if (query.counts_live || exact) ++counted;
  }
  return found;
}

Result<std::optional<std::uint64_t>> MemoryJournal::OrderOf(const PlanId& plan) {
  const MutexLock lock(mutex_);
  const auto found = streams_.find(plan);
  if (found == streams_.end() || !found->second.summary) return std::nullopt;
  return found->second.summary->order;
}

Result<bool> MemoryJournal::HasBlob(const Digest& digest) {
  const MutexLock lock(mutex_);
  return blobs_.contains(digest);
}

}  // namespace agenttalk
