#include "engine/state/miscount.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "model/content/cost.h"

namespace agenttalk {
namespace {

Cost CostOf(std::uint64_t input, std::uint64_t output, std::uint64_t micro_usd = 0) {
  Cost cost;
  cost.input_tokens = input;
  cost.output_tokens = output;
  cost.micro_usd = micro_usd;
  return cost;
}

TEST(Miscount, WhatWasEnoughChangesNothing) {
  Miscount miscount;
  miscount.Learn(CostOf(100, 50), CostOf(100, 3));
  EXPECT_EQ(miscount, Miscount());
  EXPECT_EQ(miscount.Scaled(CostOf(7, 8, 9)), CostOf(7, 8, 9));
}

TEST(Miscount, TheWorstCallCountsForThoseThatFollow) {
  Miscount miscount;
  miscount.Learn(CostOf(100, 50), CostOf(250, 50));
  miscount.Learn(CostOf(100, 50), CostOf(120, 60));
  EXPECT_EQ(miscount.Scaled(CostOf(100, 100, 100)), CostOf(250, 120, 250));
  EXPECT_EQ(miscount.Scaled(CostOf(1, 1, 1)), CostOf(3, 2, 3)) << "rounded up";
}

TEST(Miscount, MoneyGrowsAsTheTokensDo) {
  Miscount miscount;
  miscount.Learn(CostOf(100, 100), CostOf(1000, 40));
  EXPECT_EQ(miscount.Scaled(CostOf(100, 100, 200)), CostOf(1000, 100, 1100));
}

TEST(Miscount, NonsenseDoesNotOverflow) {
  Miscount miscount;
  miscount.Learn(CostOf(1, 0), CostOf(UINT64_MAX, UINT64_MAX));
  EXPECT_GT(miscount.Scaled(CostOf(1000, 1000)).input_tokens, 1000U);
  EXPECT_GT(miscount.Scaled(CostOf(UINT64_MAX, 1)).input_tokens, std::uint64_t{1} << 40);
}

}  // namespace
}  // namespace agenttalk
