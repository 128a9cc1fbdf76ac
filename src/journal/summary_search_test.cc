#include "journal/summary_search.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/journal_test_support.h"
#include "journal/memory_journal.h"
#include "journal/plan_summary.h"

namespace agenttalk {
namespace {

// Each search of it goes through everything that has ended.
class CountingJournal final : public MemoryJournal {
 public:
  Result<std::vector<PlanSummary>> Summaries(const SummaryQuery& query) override {
    ++searches;
    return MemoryJournal::Summaries(query);
  }
  int searches = 0;
};

class SummarySearch : public testing::Test {
 protected:
  SummarySearch() : epoch_(journal_.BeginEpoch().value()) {}

  void Add(const std::string& plan, bool live, const std::string& goal = "") {
    JournalRow row = RowOf(plan, 1, ++events_, "row");
    row.live = live;
    PlanSummary summary;
    summary.plan = PlanId(plan);
    summary.state = live ? "running" : "completed";
    summary.goal = goal;
    row.summary = std::make_shared<const PlanSummary>(std::move(summary));
    ASSERT_EQ(CodeOf(CommitOne(journal_, AppendOf(std::move(row)), epoch_)), "OK");
  }
  // The names of those that have ended, and how many live ones were told.
  std::pair<std::string, std::size_t> Find(const SummaryQuery& query, std::size_t most = 1'000'000) {
    std::pair<std::string, std::size_t> found;
    const auto told = ForEachSummary(journal_, query, [&](const PlanSummary& one) -> Result<bool> {
      one.exact ? static_cast<void>(found.first += one.plan.str() + " ") : static_cast<void>(++found.second);
      return --most > 0;
    });
    EXPECT_TRUE(told.has_value());
    return found;
  }
  int Searches() { return std::exchange(journal_.searches, 0); }

  CountingJournal journal_;
  std::uint64_t epoch_;
  std::uint64_t events_ = 0;
};

TEST_F(SummarySearch, GoesThroughWhatHasEndedOnceHoweverManyPlansAreLive) {
  Add("plan_old", false, "bees");
  for (int i = 0; i < 2000; ++i) Add("plan_live" + std::to_string(i), true);
  SummaryQuery query;
  query.text = "bees";
  for (const std::size_t limit : {1U, 50U, 1000U}) {
    query.limit = limit;
    EXPECT_EQ(Find(query), std::pair(std::string("plan_old "), std::size_t{2000})) << limit;
    EXPECT_LE(Searches(), 2) << limit;
  }
  query.text = "ants";
  EXPECT_EQ(Find(query).second, 2000U);
  EXPECT_EQ(Searches(), 1);
}

TEST_F(SummarySearch, TellsEveryPlanOnceHoweverManyChunksThereAre) {
  for (int i = 0; i < 600; ++i) Add("plan_" + std::to_string(i), i % 2 == 0, "bees");
  SummaryQuery query;
  query.limit = 3;
  EXPECT_EQ(Find(query).second, 300U);
  EXPECT_LE(Searches(), 4);
  query.text = "bees";
  const auto [ended, live] = Find(query);
  EXPECT_EQ(live, 300U);
  EXPECT_TRUE(ended.starts_with("plan_599 plan_597 ")) << ended;
  EXPECT_TRUE(ended.ends_with("plan_3 plan_1 ")) << ended;
  EXPECT_LE(Searches(), 3);
}

TEST_F(SummarySearch, StopsWhenNoMoreAreWanted) {
  for (int i = 0; i < 2000; ++i) Add("plan_" + std::to_string(i), false);
  SummaryQuery query;
  query.limit = 2;
  EXPECT_EQ(Find(query, 2).first, "plan_1999 plan_1998 ");
  EXPECT_EQ(Searches(), 1);
}

}  // namespace
}  // namespace agenttalk
