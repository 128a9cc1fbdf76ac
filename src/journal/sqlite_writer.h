#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "journal/blob_files.h"
#include "journal/directory_table.h"
#include "journal/durable_file.h"
#include "journal/journal.h"
#include "journal/plan_directory.h"
#include "journal/plan_table.h"
#include "journal/sqlite.h"
#include "journal/sqlite_schema.h"
#include "journal/stream_changes.h"
#include "journal/stream_remover.h"
#include "journal/stream_table.h"

namespace agenttalk {

// The one connection that writes and checkpoints. Used by one thread at a time.
class SqliteWriter {
 public:
  // Makes or opens the journal in `directory`, takes its lock and checks what was written last.
  static Result<std::unique_ptr<SqliteWriter>> Open(const std::filesystem::path& directory);
  ~SqliteWriter();
  SqliteWriter(const SqliteWriter&) = delete;
  SqliteWriter& operator=(const SqliteWriter&) = delete;

  Result<std::uint64_t> BeginEpoch();
  Result<void> Commit(std::span<const Append> appends, std::uint64_t epoch);

 private:
  struct Statements {
    Statement begin, commit, rollback;
    Statement insert_row, insert_blob, insert_snapshot, insert_imported, find_blob, blob_size, remove_blob;
  };

  SqliteWriter(FileDescriptor lock, BlobFiles files, Database database);

  Result<void> Prepare();
  Result<void> RequireWriteAheadLog();
  Result<void> Load();
  Result<void> ReadTail(std::uint64_t recorded_through);
  [[nodiscard]] Result<void> Usable() const;
  Result<void> CheckEpoch(std::uint64_t epoch);
  Result<void> Settle(Result<void> result);
  Result<void> Transact(const std::function<Result<void>()>& body);
  Result<void> RaiseEpoch();
  Result<void> WriteAll(std::span<const Append> appends, std::uint64_t epoch, bool record);
  Result<void> StoreFiles(std::span<const Append> appends);
  Result<void> WriteAppend(const Append& append);
  Result<void> WriteRow(const JournalRow& row);
  Result<void> WriteSummaries(const Append& append);
  Result<void> SkipTo(std::uint64_t event);
  Result<void> Remove(const Removal& removal);
  Result<void> RemoveBlob(const Digest& digest);
  Result<void> Import(const ImportedStream& stream);
  Result<void> GiveBack(std::uint32_t pages);
  void RewriteFile();
  Result<void> WriteSnapshot(const Snapshot& snapshot);
  Result<void> WriteDirectory(const PlanDirectory& directory);
  Result<void> WriteBlob(const NewContent& blob);
  Result<bool> HoldsBlob(const NewContent& blob);
  Result<void> RecordHeads();
  [[nodiscard]] bool CheckpointDue() const;
  Result<void> Checkpoint(int mode);
  static int OnCommitted(void* self, sqlite3*, const char*, int wal_pages);

  FileDescriptor lock_;
  BlobFiles files_;
  Database database_;
  Statements statements_;
  MetaTable meta_;
  StreamTable streams_;
  PlanTable plans_;
  DirectoryTable directories_;
  StreamRemover remover_;
  std::vector<Digest> unnamed_files_;  // blob files to be removed after the commit
  std::uint64_t epoch_ = 0;            // the one that this object began; 0: none yet
  std::uint64_t last_event_ = 0;       // committed
  std::uint64_t staged_event_ = 0;     // with the open transaction
  int wal_pages_ = 0;                  // in the log since it last began anew
  int checkpointed_pages_ = 0;         // of those, already copied when they were last checkpointed
  static constexpr std::size_t kMostScratch = std::size_t{1} << 20;
  std::string payload_;           // scratch
  std::optional<Error> failure_;  // set once: nothing is written any more
};

}  // namespace agenttalk
