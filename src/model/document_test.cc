#include "model/document.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "model/reading/brief_issues.h"

namespace agenttalk {
namespace {

DocumentKind KindOf(std::string_view name, std::string_view text) {
  return CheckDocument(name, text).kind;
}

TEST(Document, NamesThatAHubGivesMeaningToDecide) {
  EXPECT_EQ(KindOf("a/b/cmd_x.json", "{}"), DocumentKind::kCommand);
  EXPECT_EQ(KindOf("msg_x.json", R"({"nodes":[]})"), DocumentKind::kMessage);
  EXPECT_EQ(KindOf("task_dag.json", "?"), DocumentKind::kDag);
  EXPECT_EQ(KindOf("agents/x/agent_profile.json", "{}"), DocumentKind::kProfile);
  EXPECT_EQ(KindOf("agenttalk.yaml", "tasks: []"), DocumentKind::kConfig);
  EXPECT_EQ(KindOf("plan.yaml", ""), DocumentKind::kPlan);
}

TEST(Document, OtherwiseTheFieldsTell) {
  EXPECT_EQ(KindOf("x.json", R"({"plan_id":"p","nodes":[]})"), DocumentKind::kDag);
  EXPECT_EQ(KindOf("x.json", R"({"plan_id":"p","prompt":"p"})"), DocumentKind::kCommand);
  EXPECT_EQ(KindOf("x.json", R"({"agent_id":"p","prompt":"p","tools":[]})"), DocumentKind::kProfile);
  EXPECT_EQ(KindOf("x.json", R"({"thought":"t","action":"a"})"), DocumentKind::kOutput);
  EXPECT_EQ(KindOf("x.json", R"({"from":"a","to":"b","plan_id":"p"})"), DocumentKind::kMessage);
  EXPECT_EQ(KindOf("weekly.yaml", "plan: p\ntasks: []"), DocumentKind::kPlan);
  EXPECT_EQ(KindOf("other.yml", "providers: {}"), DocumentKind::kConfig);
}

TEST(Document, AndIfNothingTellsTheName) {
  EXPECT_EQ(KindOf("broken_dag.json", "{"), DocumentKind::kDag);
  EXPECT_EQ(KindOf("my-config.yaml", "["), DocumentKind::kConfig);
  EXPECT_EQ(KindOf("x.yaml", "["), DocumentKind::kPlan);
  EXPECT_EQ(KindOf("x.json", "{"), DocumentKind::kCommand);
}

TEST(Document, ReportsWhatTheReaderOfItsKindFinds) {
  const DocumentReport report = CheckDocument("x.json", R"({"plan_id":"p","nodes":7})");
  EXPECT_EQ(Brief(report.issues.errors), (std::vector<std::string>{"TYPE_MISMATCH /nodes"}));
}

TEST(Document, KnowsItsKindsByName) {
  EXPECT_EQ(ParseDocumentKind("profile"), DocumentKind::kProfile);
  EXPECT_EQ(ToString(DocumentKind::kOutput), "output");
  EXPECT_FALSE(ParseDocumentKind("letter").has_value());
}

}  // namespace
}  // namespace agenttalk
