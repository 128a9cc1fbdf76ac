#include "runtime/config_watch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "mailbox/temp_hub.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

class ConfigWatchTest : public ::testing::Test {
 protected:
  ConfigWatchTest() {
    Write("agenttalk.yaml", "version: 1\n");
    Write("agents/ann/agent_profile.json", "{}");
  }
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(hub_.At(path)).parent_path());
    std::ofstream(hub_.At(path)) << text;
  }

  TempHub hub_;
  Team team_;
};

TEST_F(ConfigWatchTest, SaysWithoutLookingWhetherThereIsSomethingToSee) {
  ConfigWatch watch(hub_.root(), team_);
  EXPECT_FALSE(watch.MayHaveChanged());
  for (const char* path :
       {"agenttalk.yaml", "agents/ann/agent_profile.json", "agents/bob/agent_profile.json",
        "agents/bob/skills/cook/SKILL.md", "prompts/en/dialogue.md", "agents/ann/sops/one.yaml"}) {
    Write(path, std::string("changed: ") + path);
    EXPECT_TRUE(watch.MayHaveChanged()) << path;
    EXPECT_TRUE(watch.MayHaveChanged()) << "until somebody has looked";
    EXPECT_TRUE(watch.HasChanged()) << path;
    EXPECT_FALSE(watch.MayHaveChanged()) << path;
    EXPECT_FALSE(watch.HasChanged()) << path;
  }
}

TEST_F(ConfigWatchTest, FilesThatAgentsGetChangeNothing) {
  Write("agents/ann/inbox/plan_1/a.md", "one");
  ConfigWatch watch(hub_.root(), team_);
  Write("agents/ann/inbox/plan_1/b.md", "two");
  EXPECT_FALSE(watch.MayHaveChanged());
}

TEST_F(ConfigWatchTest, WhatALinkPointsToIsLookedAtEveryTime) {
  std::ofstream(hub_.outer() + "/team.yaml") << "version: 1\n";
  fs::remove(hub_.At("agenttalk.yaml"));
  fs::create_symlink(hub_.outer() + "/team.yaml", hub_.At("agenttalk.yaml"));
  ConfigWatch watch(hub_.root(), team_);
  EXPECT_TRUE(watch.MayHaveChanged());
  EXPECT_FALSE(watch.HasChanged());
  std::ofstream(hub_.outer() + "/team.yaml") << "version: 1\nlanguage: zh\n";
  EXPECT_TRUE(watch.MayHaveChanged());
  EXPECT_TRUE(watch.HasChanged());
}

}  // namespace
}  // namespace agenttalk
