#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "journal/plan_summary.h"
#include "journal/sqlite.h"

namespace agenttalk {

// The writer's way to the plans table: a summary of each plan.
//
// A record is written when a plan's stream begins, with every row that leaves the plan without live commands,
// and when it becomes live again. While it is live the record says only that: the plan is in memory then.
class PlanTable {
 public:
  static Result<PlanTable> Open(Database& database);

  Result<void> Write(std::uint64_t stream, const PlanSummary& summary, bool live);
  Result<void> MarkLive(std::uint64_t stream);
  Result<void> Remove(std::uint64_t stream);

 private:
  Statement write_;
  Statement mark_live_;
  Statement remove_;
};

// Newest first, at most `limit` of them (see SummaryQuery::counts_live); live ones always, whatever their
// state, text and times may be by now. Without tags: the table is of an older program's.
Result<std::vector<PlanSummary>> ReadSummaries(Database& database, const SummaryQuery& query, bool has_tags);
// Where this stream stands in that order; none: there is no record of it.
Result<std::optional<std::uint64_t>> OrderOf(Database& database, std::uint64_t stream);

}  // namespace agenttalk
