#include "journal/summary_search.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"

namespace agenttalk {
namespace {

// Read from the index at a time.
constexpr std::size_t kChunk = 256;

// Whether it goes through what has ended for those that fit; otherwise each of them does.
bool IsSearch(const SummaryQuery& query) {
  return !query.state.empty() || query.since != Timestamp{} || query.until != Timestamp::max() ||
         !query.text.empty() || !query.tag.empty() || query.with_letters;
}

}  // namespace

Result<void> ForEachSummary(Journal& journal, SummaryQuery query,
                            const std::function<Result<bool>(const PlanSummary&)>& visit) {
  // Each chunk continues at the last that was found. If that could be a live plan, what has ended and does
  // not fit would be gone through again for the next ones.
  query.counts_live = !IsSearch(query);
  query.limit = std::min(query.limit, kChunk);
  for (bool more = true; more;) {
    const std::vector<PlanSummary> found = TRY(journal.Summaries(query));
    for (const PlanSummary& one : found) {
      if (!TRY(visit(one))) return {};
    }
    const auto counted =
        std::ranges::count_if(found, [&](const PlanSummary& one) { return query.counts_live || one.exact; });
    more = static_cast<std::size_t>(counted) == query.limit;
    if (more) query.before = found.back().order;
    query.limit = kChunk;
  }
  return {};
}

}  // namespace agenttalk
