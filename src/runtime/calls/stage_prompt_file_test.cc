#include "runtime/calls/stage_prompt_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/ids.h"
#include "base/language.h"
#include "journal/journal_test_support.h"
#include "model/request/model_request.h"
#include "prompts/stage_prompt.h"

namespace agenttalk {
namespace {

class StagePromptFiles : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = hub_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  StagePromptShelf Load() { return StagePromptShelf::Load(hub_.path(), Language::kEnglish); }

  TempDirectory hub_;
};

TEST_F(StagePromptFiles, AnAgentsFileCountsBeforeTheHubsAndThatBeforeTheShippedOne) {
  Write("prompts/en/planner.md", "the hub's");
  Write("agents/ann/prompts/en/planner.md", "ann's");
  const StagePromptShelf shelf = Load();
  EXPECT_EQ(shelf.TextFor(AgentId("ann"), Stage::kPlanner).value(), "ann's");
  EXPECT_EQ(shelf.TextFor(AgentId("bob"), Stage::kPlanner).value(), "the hub's");
  EXPECT_EQ(shelf.TextFor(AgentId("ann"), Stage::kRouter).value(),
            ShippedStagePrompt(Stage::kRouter, Language::kEnglish));
}

TEST_F(StagePromptFiles, WhatWasReadCountsUntilItIsReadAgain) {
  Write("prompts/en/planner.md", "before");
  const StagePromptShelf shelf = Load();
  Write("prompts/en/planner.md", "after");
  EXPECT_EQ(shelf.TextFor(AgentId("bob"), Stage::kPlanner).value(), "before");
  EXPECT_EQ(Load().TextFor(AgentId("bob"), Stage::kPlanner).value(), "after");
}

TEST_F(StagePromptFiles, AFileThatCannotBeUsedIsAnErrorForWhoeverNeedsIt) {
  Write("agents/ann/prompts/en/planner.md", "\xff");
  const StagePromptShelf shelf = Load();
  EXPECT_FALSE(shelf.TextFor(AgentId("ann"), Stage::kPlanner).has_value());
  EXPECT_TRUE(shelf.TextFor(AgentId("bob"), Stage::kPlanner).has_value());
}

}  // namespace
}  // namespace agenttalk
