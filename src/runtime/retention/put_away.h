#pragma once

#include <filesystem>

#include "base/error.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"

namespace agenttalk {

struct PutAwayFile {
  std::filesystem::path file;
  bool is_new = false;
};

// Archives a plan that is about to be removed, in `folder`. Nothing is written over: an archive of that name
// may be all that is left of an earlier plan. One with the same bytes is what an interrupted attempt left.
Result<PutAwayFile> PutAway(Journal& journal, const std::filesystem::path& hub, const PlanSummary& plan,
                            const std::filesystem::path& folder);

}  // namespace agenttalk
