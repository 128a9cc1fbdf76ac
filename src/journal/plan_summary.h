#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "model/content/cost.h"
#include "model/content/plan_tags.h"

namespace agenttalk {

// What a list of plans shows of one. Kept in the journal's own index, in the transaction of the events that
// changed it, so that a plan that has ended is listed without being read.
struct PlanSummary {
  // Goals may be long, and lists show their beginning.
  static constexpr std::size_t kLongestGoal = 1000;

  PlanId plan;
  std::string state;   // as `plans` shows it
  bool opened = true;  // false: only letters name this plan, there was none
  std::string goal;
  std::uint64_t tasks_completed = 0;
  std::uint64_t tasks_total = 0;
  std::uint64_t letters = 0;  // open dead letters
  Timestamp created_at;       // of its first event; once written it stays
  Timestamp updated_at;
  Cost cost;
  PlanTags tags;
  // Set when it is read. False: the plan itself has to be asked, because it is live (an ordinary append does
  // not touch the index) or because this record is damaged.
  bool exact = true;
  std::uint64_t order = 0;  // larger: began later
};

struct SummaryQuery {
  std::uint64_t before = UINT64_MAX;   // only those whose `order` is smaller
  std::string state;                   // empty: any
  Timestamp since;                     // updated at this time or later
  Timestamp until = Timestamp::max();  // updated before
  std::string text;                    // in the id or the goal; upper and lower case of ASCII are the same
  std::string tag;                     // one of its tags; empty: any or none
  bool with_letters = false;           // only those with open dead letters
  std::size_t limit = 50;
  // False: the limit is that of plans that are known exactly. Live ones, which only may fit, come beside, all
  // that began after the last of those: where they used it up, each page of them would cost a whole search.
  bool counts_live = true;
};

}  // namespace agenttalk
