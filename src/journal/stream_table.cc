#include "journal/stream_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"
#include "journal/stored_row.h"

namespace agenttalk {

Result<StreamTable> StreamTable::Open(Database& database) {
  StreamTable table;
  const std::string select = fmt::format("SELECT {} FROM streams", kStreamColumns);
  table.live_ = TRY(database.Prepare(
      fmt::format("SELECT {} FROM streams NOT INDEXED WHERE live <> 0 ORDER BY number", kStreamColumns)));
  table.count_ = TRY(database.Prepare("SELECT count(*) FROM streams NOT INDEXED"));
  table.names_ =
      TRY(database.Prepare("SELECT name, number FROM streams INDEXED BY streams_by_name ORDER BY name"));
  table.by_name_ = TRY(database.Prepare(select + " WHERE name = ?"));
  table.by_number_ = TRY(database.Prepare(select + " WHERE number = ?"));
  table.insert_ =
      TRY(database.Prepare(fmt::format("INSERT INTO streams({}) VALUES(?, ?, ?, ?, ?, ?)", kStreamColumns)));
  table.update_ = TRY(database.Prepare(
      "UPDATE streams SET live = ?2, version = ?3, last_row = ?4, crc = ?5 WHERE number = ?1 AND name = ?6"));
  table.remove_ = TRY(database.Prepare("DELETE FROM streams WHERE number = ? AND name = ?"));
  return table;
}

std::uint64_t StreamTable::NameCrc(std::string_view name, std::uint64_t number) {
  return RecordCrc(name, {number});
}

Result<void> StreamTable::Load(const Totals& recorded, std::uint64_t last_event) {
  TRY(LoadLive(recorded.live, last_event));
  const StatementScope scope(count_);
  TRY(count_.Step());
  totals_.count = count_.Int(0);
  if (totals_.count < recorded.count) return DamagedAt(last_event, "the record of a stream is missing");
  TRY(CheckNames(recorded));
  staged_ = totals_;
  return {};
}

// Their number is recorded whenever it changes: one whose record says by mistake that it has ended would be
// forgotten.
Result<void> StreamTable::LoadLive(std::uint64_t recorded_live, std::uint64_t last_event) {
  const StatementScope scope(live_);
  while (TRY(live_.Step())) {
    const StoredStream stream = TRY(StreamAt(live_));
    if (stream.head.last_row > last_event) return DamagedAt(last_event + 1, "recorded rows are missing");
    Keep(stream);
    ++totals_.live;
  }
  if (totals_.live == recorded_live) return {};
  return DamagedAt(last_event, "the record of a live stream is missing");
}

// A name that the index does not find would begin a second stream of that name. The index holds all that is
// read here, so that 100,000 streams take 15 ms. Streams that were removed leave gaps among the numbers up to
// the last recorded one; since then each took the next.
Result<void> StreamTable::CheckNames(const Totals& recorded) {
  const StatementScope scope(names_);
  std::string last;
  std::uint64_t count = 0;
  std::uint64_t added = 0;
  std::uint64_t of_recorded = 0;
  totals_.last = recorded.last;
  while (TRY(names_.Step())) {
    const std::string_view name = names_.Text(0);
    const std::uint64_t number = names_.Int(1);
    if (count > 0 && name <= last) break;
    last = name;
    ++count;
    const std::uint64_t crc = NameCrc(name, number);
    totals_.names += crc;
    if (number > recorded.last) {
      ++added;
    } else {
      of_recorded += crc;
    }
    totals_.last = std::max(totals_.last, number);
  }
  const bool complete = count == totals_.count && count - added == recorded.count;
  if (complete && totals_.last == recorded.last + added && of_recorded == recorded.names) return {};
  return Fail(ErrorCode::kJournalDamaged, "the journal's index of stream names is damaged",
              "restore a backup");
}

Result<void> StreamTable::Follow(const StoredRow& row) {
  const StatementScope scope(by_number_);
  if (!TRY(by_number_.Bind(1, row.stream).Step())) return DamagedAt(row.first_event, "its stream is unknown");
  const StoredStream stream = TRY(StreamAt(by_number_));
  TRY(OpenRow(row, Crc32c(stream.name)));
  if (row.first_event <= stream.head.last_row) return {};
  Entry* entry = TRY(Find(std::string(stream.name)));
  if (row.version != entry->committed.version + 1 || row.previous != entry->committed.last_row) {
    return DamagedAt(row.first_event, "it does not continue its stream");
  }
  entry->committed.version = row.version;
  entry->committed.last_row = row.first_event;
  entry->staged = entry->committed;
  NoteChanged(*entry);
  return {};
}

StreamTable::Entry* StreamTable::Keep(const StoredStream& stream) {
  auto entry = std::make_unique<Entry>();
  entry->name = stream.name;
  entry->name_crc = Crc32c(stream.name);
  entry->number = stream.number;
  entry->committed = entry->recorded = entry->staged = entry->written = stream.head;
  return (entries_[entry->name] = std::move(entry)).get();
}

Result<StreamTable::Entry*> StreamTable::Find(const std::string& name) {
  const auto found = entries_.find(name);
  if (found != entries_.end()) return found->second.get();
  const StatementScope scope(by_name_);
  StoredStream stream{.number = 0, .head = {}, .name = name};
  if (TRY(by_name_.BindText(1, name).Step())) stream = TRY(StreamAt(by_name_));
  Entry* entry = Keep(stream);
  Join(*entry);
  return entry;
}

Result<void> StreamTable::Stage(Entry& entry, std::uint64_t first_event, bool live) {
  Join(entry);
  entry.staged = {.version = entry.staged.version + 1, .last_row = first_event, .live = live};
  if (entry.number != 0 && live == entry.written.live) return {};
  return Write(entry);
}

Result<void> StreamTable::StageImported(Entry& entry, std::uint64_t version) {
  Join(entry);
  entry.staged = {.version = version, .last_row = 0, .live = false};
  return Write(entry);
}

Result<void> StreamTable::Remove(Entry& entry) {
  Join(entry);
  entry.removed = true;
  --staged_.count;
  staged_.names -= NameCrc(entry.name, entry.number);
  if (entry.written.live) --staged_.live;
  return remove_.Bind(1, entry.number).BindText(2, entry.name).Run();
}

Result<void> StreamTable::Record() {
  recording_ = true;
  for (Entry* entry : changed_) Join(*entry);
  for (Entry* entry : transaction_) {
    if (!entry->removed && entry->staged != entry->written) TRY(Write(*entry));
  }
  return {};
}

Result<void> StreamTable::Write(Entry& entry) {
  const bool is_new = entry.number == 0;
  if (is_new) {
    ++staged_.count;
    entry.number = ++staged_.last;
    staged_.names += NameCrc(entry.name, entry.number);
  } else if (entry.written.live) {
    --staged_.live;
  }
  if (entry.staged.live) ++staged_.live;
  entry.written = entry.staged;
  const StoredStream stream{.number = entry.number, .head = entry.staged, .name = entry.name};
  return (is_new ? insert_ : update_)
      .Bind(1, stream.number)
      .Bind(2, stream.head.live ? 1 : 0)
      .Bind(3, stream.head.version)
      .Bind(4, stream.head.last_row)
      .Bind(5, StreamCrc(stream))
      .BindText(6, stream.name)
      .Run();
}

void StreamTable::Publish() {
  totals_ = staged_;
  for (Entry* entry : transaction_) {
    if (entry->removed) {
      entries_.erase(entries_.find(entry->name));
      continue;
    }
    entry->in_transaction = false;
    entry->committed = entry->staged;
    entry->recorded = entry->written;
    if (recording_) {
      entry->changed = false;
    } else if (entry->committed != entry->recorded) {
      NoteChanged(*entry);
    }
    ForgetUnlessNeeded(*entry);
  }
  transaction_.clear();
  if (std::exchange(recording_, false)) changed_.clear();
}

void StreamTable::Discard() {
  staged_ = totals_;
  recording_ = false;
  for (Entry* entry : transaction_) {
    entry->in_transaction = false;
    entry->removed = false;
    entry->staged = entry->committed;
    entry->written = entry->recorded;
    if (entry->recorded.version == 0) entry->number = 0;
    ForgetUnlessNeeded(*entry);
  }
  transaction_.clear();
}

void StreamTable::Join(Entry& entry) {
  if (!std::exchange(entry.in_transaction, true)) transaction_.push_back(&entry);
}

void StreamTable::NoteChanged(Entry& entry) {
  if (!std::exchange(entry.changed, true)) changed_.push_back(&entry);
}

// A stream that ended and is recorded takes memory no more; neither does a name that only was asked for.
void StreamTable::ForgetUnlessNeeded(const Entry& entry) {
  if (entry.changed) return;
  const bool unknown = entry.committed.version == 0;
  const bool ended = !entry.committed.live && entry.committed == entry.recorded;
  if (unknown || ended) entries_.erase(entries_.find(entry.name));
}

}  // namespace agenttalk
