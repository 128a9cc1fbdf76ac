#include "mailbox/place.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/ids.h"

namespace agenttalk {
namespace {

TEST(Place, AndItsPathAreInverse) {
  for (const std::string path : {"agents/dev/inbox", "agents/dev/inbox/plan_1", "agents/dev/outbox",
                                 "agents/dev/outbox/plan_1", "human/outbox"}) {
    const auto place = Place::FromPath(path);
    ASSERT_TRUE(place) << path;
    EXPECT_EQ(place->Path(), path);
  }
}

TEST(Place, IsNoOtherFolder) {
  for (const std::string path :
       {"", "agents", "agents/dev", "agents/dev/logs", "agents/dev/inbox/plan/deeper", "agents/../inbox",
        "agents//inbox", "agents/dev/inbox/..", "agents/dev/inbox/.processed", "human/inbox",
        "human/outbox/plan", "plans/x", "agents/a b/inbox"}) {
    EXPECT_EQ(Place::FromPath(path), std::nullopt) << path;
  }
}

TEST(Place, KnowsWhereThingsGo) {
  const Place inbox = *Place::FromPath("agents/dev/inbox");
  EXPECT_EQ(ProcessedFolder(inbox, PlanId("plan_1")), "agents/dev/inbox/.processed/plan_1");
  EXPECT_EQ(ProcessedFolder(*Place::FromPath("agents/dev/inbox/plan_1"), PlanId("plan_1")),
            "agents/dev/inbox/.processed/plan_1");
  EXPECT_EQ(ProcessedFolder(*Place::FromPath("human/outbox"), PlanId()), "human/outbox/.processed");
  EXPECT_EQ(DeadLetterFolder(PlanId("plan_1")), "dead_letter/plan_1");
  EXPECT_FALSE(IsSafeName(DeadLetterFolder(PlanId()).substr(std::string("dead_letter/").size())));
}

TEST(Place, IgnoresUnfinishedFilesByName) {
  for (const std::string name :
       {"", ".x", ".", "..", ".processed", "x.tmp", "x.part", "x~", "cmd_1.json.tmp", ".tmp"}) {
    EXPECT_TRUE(IsIgnoredName(name)) << name;
  }
  for (const std::string name : {"x", "tmp", "x.tmp.json", "cmd_1.json", "part", "~x", "x.TMP"}) {
    EXPECT_FALSE(IsIgnoredName(name)) << name;
  }
}

}  // namespace
}  // namespace agenttalk
