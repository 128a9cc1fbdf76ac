#include "cli/document_kind.h"

#include <gtest/gtest.h>

#include <optional>

namespace agenttalk {
namespace {

TEST(GuessKind, TakesWellKnownNamesAtTheirWord) {
  EXPECT_EQ(GuessKind("agenttalk.yaml", "tasks:"), DocumentKind::kConfig);
  EXPECT_EQ(GuessKind("agent_profile.json", ""), DocumentKind::kProfile);
  EXPECT_EQ(GuessKind("task_dag.json", "[]"), DocumentKind::kDag);
  EXPECT_EQ(GuessKind("plan.yml", ""), DocumentKind::kPlan);
  EXPECT_EQ(GuessKind("cmd_1.json", R"({"nodes":[]})"), DocumentKind::kCommand);
}

TEST(GuessKind, KnowsOtherFilesByTheirTopLevelKeys) {
  EXPECT_EQ(GuessKind("x.json", R"({"plan_id":"p","nodes":[]})"), DocumentKind::kDag);
  EXPECT_EQ(GuessKind("x.json", R"({"plan_id":"p","prompt":"nodes"})"), DocumentKind::kCommand);
  EXPECT_EQ(GuessKind("x.json", R"({"agent_id":"a","heartbeat":{"tasks":1}})"), DocumentKind::kProfile);
  EXPECT_EQ(GuessKind("x.json", R"({"thought":"t","action":"a"})"), DocumentKind::kOutput);
  EXPECT_EQ(GuessKind("x.yaml", "version: 1\nproviders:\n  a: {}\n"), DocumentKind::kConfig);
  EXPECT_EQ(GuessKind("x.yaml", "# c\nplan: p\ntasks:\n  - id: agents\n"), DocumentKind::kPlan);
}

TEST(GuessKind, KnowsBrokenFilesToo) {
  EXPECT_EQ(GuessKind("x.json", R"({"nodes":[{"task_id": )"), DocumentKind::kDag);
  EXPECT_EQ(GuessKind("x.json", R"({"command_id":"c", "prompt":"unfinished \)"), DocumentKind::kCommand);
  EXPECT_EQ(GuessKind("x.json", "\""), DocumentKind::kCommand);
  EXPECT_EQ(GuessKind("x.json", ""), DocumentKind::kCommand);
  EXPECT_EQ(GuessKind("x.yaml", "\t:"), DocumentKind::kPlan);
}

TEST(DocumentKind, HasASpellingThatCanBeReadBack) {
  for (const DocumentKind kind : kDocumentKinds) EXPECT_EQ(ParseDocumentKind(ToString(kind)), kind);
  EXPECT_EQ(ParseDocumentKind("nope"), std::nullopt);
}

}  // namespace
}  // namespace agenttalk
