#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "journal/sqlite.h"
#include "journal/stored_row.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"

namespace agenttalk {

// Takes a stream's rows out of the journal table, inside the writer's transaction. A row becomes a gap: a row
// of no stream that says how many event numbers are not there, so that a row that was lost is still told from
// one that was removed. Gaps that touch become one. A gap keeps those contents of its row that others name.
class StreamRemover {
 public:
  static Result<StreamRemover> Open(Database& database);

  // `last_row` is where the stream ends; `kept` are contents in its rows.
  Result<void> Remove(std::uint64_t number, std::uint64_t last_row, const std::vector<Content>& kept);
  // Event numbers that are passed over, at the journal's end.
  Result<void> WriteGap(std::uint64_t first_event, std::uint64_t count);

 private:
  struct Gap {
    std::uint64_t first_event = 0;
    std::uint64_t count = 0;
    std::string contents;  // as in a payload
  };

  Result<std::vector<Gap>> CollectRows(std::uint64_t number, std::uint64_t last_row,
                                       const std::vector<Content>& kept);
  Result<void> Replace(const Gap& gap);
  // Extends the gap just before `gap` if there is one. False: there is none.
  Result<bool> JoinBefore(const Gap& gap);
  Result<void> JoinAfter(Gap& gap);
  Result<void> Put(const Gap& gap, Statement& statement);

  Statement row_;
  Statement before_;
  Statement after_;
  Statement update_;
  Statement insert_;
  Statement remove_;
  Statement remove_snapshot_;
  Statement remove_imported_;
};

}  // namespace agenttalk
