#pragma once

#include <cstdint>
#include <memory>
#include <string>
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

  static Result<StreamTable> Open(Database& database);

  // Reads the table: checks every record and the index of names, keeps the live streams.
  Result<void> Load(std::uint64_t recorded_count, std::uint64_t recorded_last, std::uint64_t last_event);
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

  // Streams in the table, with those of the open transaction.
  [[nodiscard]] std::uint64_t staged_count() const { return staged_count_; }
  // The highest number that a stream was ever given.
  [[nodiscard]] std::uint64_t staged_last() const { return staged_last_; }

 private:
  Result<void> CheckNames(std::uint64_t fingerprint);
  Result<void> Write(Entry& entry);
  Entry* Keep(const StoredStream& stream);
  void Join(Entry& entry);
  void NoteChanged(Entry& entry);
  void ForgetUnlessNeeded(const Entry& entry);

  Statement all_;
  Statement names_;
  Statement by_name_;
  Statement by_number_;
  Statement insert_;
  Statement update_;
  Statement remove_;
  std::uint64_t count_ = 0;         // streams in the table
  std::uint64_t staged_count_ = 0;  // with those of the open transaction
  std::uint64_t last_ = 0;          // the highest number
  std::uint64_t staged_last_ = 0;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;
  std::vector<Entry*> transaction_;
  std::vector<Entry*> changed_;  // those whose `committed` may differ from `recorded`
  bool recording_ = false;       // the open transaction has called Record
};

}  // namespace agenttalk
