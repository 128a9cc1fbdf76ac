#include "runtime/reports/plan_report.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "runtime/core/core_fixture.h"

namespace agenttalk {
namespace {

class PlanReportTest : public CoreTest {};

TEST_F(PlanReportTest, TheTextIsTheJsonForPeople) {
  Start();
  Configure({"alice", "bob"});
  core().Submit(MakeCommand("cmd_1"));
  core().Submit(MakeCommand("cmd_2"));
  Commit();
  core().Submit(MakeAnswer("cmd_1", "first"));
  Commit();
  const PlanState* plan = core().FindLoaded(PlanId("plan_a"));
  ASSERT_NE(plan, nullptr);
  const boost::json::object status = PlanStatusJson(*plan);
  ASSERT_EQ(status.at("commands").as_array().size(), 2U);
  EXPECT_EQ(PlanStatusText(*plan), PrettyJson(status));
}

}  // namespace
}  // namespace agenttalk
