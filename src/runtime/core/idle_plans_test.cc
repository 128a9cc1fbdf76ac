#include "runtime/core/idle_plans.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/ids.h"

namespace agenttalk {
namespace {

std::vector<std::string> Drain(IdlePlans& plans, const IdlePlans::Limits& limits) {
  std::vector<std::string> dropped;
  while (plans.Exceeds(limits)) {
    dropped.push_back(plans.oldest().str());
    plans.DropOldest();
  }
  return dropped;
}

TEST(IdlePlans, TheOneThatWasNotedLongestAgoGoesFirst) {
  IdlePlans plans;
  for (const char* id : {"a", "b", "c"}) plans.Note(PlanId(id), 1);
  plans.Note(PlanId("a"), 2);
  EXPECT_EQ(Drain(plans, {2, 0}), std::vector<std::string>{"b"});
  EXPECT_EQ(Drain(plans, {0, 0}), (std::vector<std::string>{"c", "a"}));
}

TEST(IdlePlans, APlanThatIsNotedOverAndOverCountsOnce) {
  IdlePlans plans;
  plans.Note(PlanId("other"), 1);
  for (std::size_t commands = 1; commands < 1000; ++commands) plans.Note(PlanId("busy"), commands);
  EXPECT_FALSE(plans.Exceeds({2, 0}));
  EXPECT_TRUE(plans.Exceeds({1, 1000}));
  EXPECT_FALSE(plans.Exceeds({1, 1064}));
}

TEST(IdlePlans, MoreAreKeptWhileTheyAreSmall) {
  IdlePlans plans;
  for (int i = 0; i < 100; ++i) plans.Note(PlanId(std::to_string(i)), 8);
  EXPECT_TRUE(Drain(plans, {10, 4000}).empty());
  plans.Note(PlanId("large"), 360);
  EXPECT_EQ(Drain(plans, {10, 4000}).size(), 10U);
}

TEST(IdlePlans, WhatIsDoneWithIsDropped) {
  IdlePlans plans;
  for (const char* id : {"a", "b", "c"}) plans.Note(PlanId(id), 100);
  plans.DropIf([](const PlanId& plan) { return plan.str() != "b"; });
  EXPECT_FALSE(plans.Exceeds({0, 132}));
  EXPECT_EQ(Drain(plans, {0, 0}), std::vector<std::string>{"b"});
}

}  // namespace
}  // namespace agenttalk
