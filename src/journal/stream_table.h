#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "journal/sqlite.h"
#include "journal/stored_row.h"

namespace agenttalk {

// The writer's knowledge of where every stream ends.
//
// The streams table is not touched by an ordinary append (that would be one more page for every commit). It
// is written when a stream begins, ends or begins again, and for all changed streams by Record(), which the
// writer calls in the commit before each checkpoint. So whatever has reached the main database file is
// covered by recorded heads, and a page that lost rows there is noticed; what is not recorded yet is in the
// write-ahead log, whose frames have checksums of their own, and is found by reading the rows after
// `recorded_through`.
class StreamTable {
 public:
  struct Entry {
    std::string name;
    std::uint32_t name_crc = 0;
    std::uint64_t number = 0;  // 0: no row in the table yet
    StreamHead committed;      // where it ends
    StreamHead recorded;       // where the table says that it ends
    StreamHead staged;         // `committed` with what the open transaction adds
    StreamHead written;        // `recorded` with what the open transaction wrote
    bool in_transaction = false;
    bool changed = false;  // in changed_
    bool removed = false;  // by the open transaction
  };

  // What the meta table says of all streams. Reading it costs the same however many have ended.
  struct Totals {
    std::uint64_t count = 0;
    std::uint64_t last = 0;   // the highest number that one was ever given
    std::uint64_t names = 0;  // the sum of NameCrc over all of them
    std::uint64_t live = 0;

    bool operator==(const Totals&) const = default;
  };
  // What a name adds to `Totals::names`.
  static std::uint64_t NameCrc(std::string_view name, std::uint64_t number);

  static Result<StreamTable> Open(Database& database);

  // Reads the live streams and keeps them; compares the table and the index of names with what was recorded
  // of all of them. The record of a stream that has ended is checked when it is read.
  Result<void> Load(const Totals& recorded, std::uint64_t last_event);
  // Takes in a row behind `recorded_through` while the journal is opened.
  Result<void> Follow(const StoredRow& row);

  // A stream's entry, made if the name is new. Valid until Publish or Discard.
  Result<Entry*> Find(const std::string& name);
  // The open transaction appends a row to this stream; a new stream or a changed live flag goes into the
  // table.
  Result<void> Stage(Entry& entry, std::uint64_t first_event, bool live);
  // A new stream whose rows are elsewhere (see ImportedStream); it has ended.
  Result<void> StageImported(Entry& entry, std::uint64_t version);
  // The open transaction removes this stream. Record must follow in the same one.
  Result<void> Remove(Entry& entry);
  // Puts every head that the table does not know into it.
  Result<void> Record();
  // The transaction was committed / rolled back.
  void Publish();
  void Discard();

  // As of the last commit; with what the open transaction changes.
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const Totals& staged() const { return staged_; }

 private:
  Result<void> LoadLive(std::uint64_t recorded_live, std::uint64_t last_event);
  Result<void> CheckNames(const Totals& recorded);
  Result<void> Write(Entry& entry);
  Entry* Keep(const StoredStream& stream);
  void Join(Entry& entry);
  void NoteChanged(Entry& entry);
  void ForgetUnlessNeeded(const Entry& entry);

  Statement live_;
  Statement count_;
  Statement names_;
  Statement by_name_;
  Statement by_number_;
  Statement insert_;
  Statement update_;
  Statement remove_;
  Totals totals_;
  Totals staged_;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;
  std::vector<Entry*> transaction_;
  std::vector<Entry*> changed_;  // those whose `committed` may differ from `recorded`
  bool recording_ = false;       // the open transaction has called Record
};

}  // namespace agenttalk
