#include "model/config/agent_profile.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "model/config/agent_profile_reader.h"
#include "model/reading/brief_issues.h"
#include "model/reading/checked.h"

namespace agenttalk {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kFull =
    R"({"agent_id":"analyst","name":"Analyst","prompt":"You are …","capabilities":["analysis"],
  "tools":["read_file"],"permissions":["publish_message"],"visibility":["editor"],"provider":"claude","model":"m",
  "max_parallel":3,"heartbeat":{"interval_seconds":2.5},"repair_attempts":0,"runtime":"external","strategy":"auto"})";

TEST(AgentProfile, ReadsEveryFieldAndWritesItBack) {
  const Checked<AgentProfile> profile = ParseAgentProfile(kFull);
  ASSERT_TRUE(profile) << Brief(profile.issues.errors).front();
  EXPECT_EQ(profile->heartbeat_interval, std::chrono::milliseconds(2500));
  EXPECT_EQ(profile->runtime, AgentRuntime::kExternal);
  EXPECT_EQ(profile->strategy, Strategy::kAuto);
  const Checked<AgentProfile> again = ParseAgentProfile(CanonicalJson(ToJson(*profile)));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *profile);
}

TEST(AgentProfile, NeedsOnlyItsId) {
  const Checked<AgentProfile> profile = ParseAgentProfile(R"({"agent_id":"a"})");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->max_parallel, 1U);
  EXPECT_FALSE(profile->visibility.has_value()) << "absent: everybody";
  EXPECT_EQ(Brief(ParseAgentProfile("{}").issues.errors), (Lines{"FIELD_MISSING /agent_id"}));
}

TEST(AgentProfile, AnEmptyVisibilityIsNobodyNotEverybody) {
  const Checked<AgentProfile> profile = ParseAgentProfile(R"({"agent_id":"a","visibility":[]})");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->visibility, std::vector<AgentId>{});
}

TEST(AgentProfile, AFileIsReadOverWhatTheConfigurationSays) {
  AgentProfile base;
  base.agent_id = AgentId("analyst");
  base.prompt = "old";
  base.tools = {"a", "b"};
  base.max_parallel = 4;
  const Checked<AgentProfile> profile = ParseAgentProfile(R"({"prompt":"new","tools":["c"]})", base);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->prompt, "new");
  EXPECT_EQ(profile->tools, (Lines{"c"})) << "arrays are replaced";
  EXPECT_EQ(profile->max_parallel, 4U);
}

TEST(AgentProfile, AFileMayNotContradictItsFolder) {
  AgentProfile base;
  base.agent_id = AgentId("analyst");
  EXPECT_EQ(Brief(ParseAgentProfile(R"({"agent_id":"editor"})", base).issues.errors),
            (Lines{"VALUE_INVALID /agent_id"}));
}

TEST(AgentProfile, ReportsEveryErrorAtOnce) {
  const Checked<AgentProfile> profile = ParseAgentProfile(
      R"({"agent_id":"../a","prompt":" ","tools":["rm -rf"],"max_parallel":0,"heartbeat":{"interval_seconds":0},
          "repair_attempts":-1,"runtime":"remote","strategy":3,"visibility":"all"})");
  EXPECT_EQ(Brief(profile.issues.errors),
            (Lines{"NAME_UNSAFE /agent_id", "PROMPT_EMPTY /prompt", "NAME_UNSAFE /tools/0",
                   "TYPE_MISMATCH /visibility", "VALUE_INVALID /max_parallel",
                   "VALUE_INVALID /heartbeat/interval_seconds", "VALUE_INVALID /repair_attempts",
                   "VALUE_INVALID /runtime", "TYPE_MISMATCH /strategy"}));
}

}  // namespace
}  // namespace agenttalk
