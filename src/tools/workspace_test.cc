#include "tools/workspace.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "model/content/named_content.h"
#include "tools/tool_fixture.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

class WorkspaceTest : public testing::Test {
 protected:
  WorkspaceTest() {
    tools_.KeepFolder();
    tools_.inputs.push_back({"data.csv", tools_.Record("a,1\n")});
  }
  std::string Write(const std::string& path, const std::string& content) {
    return "{\"path\":\"" + path + "\",\"content\":\"" + content + "\"}";
  }
  std::vector<std::string> Outputs() {
    std::vector<std::string> names;
    for (const NamedContent& one : tools_.outputs) names.push_back(one.name);
    return names;
  }
  using Names = std::vector<std::string>;

  ToolFixture tools_;
};

TEST_F(WorkspaceTest, InputsAreThereBeforeTheFirstToolRuns) {
  fs::remove_all(tools_.task());
  EXPECT_EQ(tools_.Call("read_file", R"({"path":"inputs/data.csv"})").output, "a,1\n");
  EXPECT_EQ(tools_.Call("read_file", R"({"path":"/task/inputs/data.csv"})").output, "a,1\n");
}

TEST_F(WorkspaceTest, WhatIsLeftInOutputsIsReportedOnce) {
  const auto first = tools_.Call("write_file", Write("outputs/a.md", "one"));
  ASSERT_EQ(first.left.size(), 1U);
  EXPECT_EQ(first.left[0].name, "a.md");
  EXPECT_EQ(first.left[0].bytes, "one");
  EXPECT_TRUE(tools_.Call("read_file", R"({"path":"outputs/a.md"})").left.empty());
  EXPECT_TRUE(tools_.Call("write_file", Write("outputs/a.md", "one")).left.empty()) << "the same content";
  EXPECT_EQ(tools_.Call("write_file", Write("outputs/a.md", "two")).left.size(), 1U);
  EXPECT_TRUE(tools_.Call("write_file", Write("work/a.md", "scratch")).left.empty());
  EXPECT_EQ(tools_.Call("write_file", Write("outputs/deep/b.md", "x")).left[0].name, "deep/b.md");
}

TEST_F(WorkspaceTest, AFolderThatIsGoneIsRebuilt) {
  tools_.Call("write_file", Write("outputs/a.md", "one"));
  fs::remove_all(tools_.hub() / "agents");
  EXPECT_EQ(tools_.Call("read_file", R"({"path":"outputs/a.md"})").output, "one");
  EXPECT_EQ(tools_.Get("inputs/data.csv"), "a,1\n");
  EXPECT_EQ(Outputs(), Names{"a.md"});
}

TEST_F(WorkspaceTest, WhatSomebodyChangedIsAsRecordedAgain) {
  tools_.Call("write_file", Write("outputs/a.md", "one"));
  tools_.Put("inputs/data.csv", "b,2\n");  // of the same size
  tools_.Put("outputs/a.md", "two");
  tools_.Put("outputs/stray.md", "left by a call that was cut off");
  const auto report = tools_.Call("list_files", "{}");
  EXPECT_TRUE(report.left.empty() && report.removed.empty());
  EXPECT_EQ(tools_.Get("inputs/data.csv"), "a,1\n");
  EXPECT_EQ(tools_.Get("outputs/a.md"), "one");
  EXPECT_FALSE(fs::exists(tools_.task() / "outputs/stray.md"));
}

TEST_F(WorkspaceTest, WhatAToolRemovesIsRemovedFromTheRecord) {
  if (FindSandbox().empty()) GTEST_SKIP() << "no bubblewrap";
  tools_.Call("write_file", Write("outputs/a.md", "one"));
  const auto report = tools_.Call("run_program", R"({"argv":["mv","outputs/a.md","outputs/b.md"]})");
  if (report.error) GTEST_SKIP() << report.error->message;
  EXPECT_EQ(report.removed, Names{"a.md"});
  EXPECT_EQ(Outputs(), Names{"b.md"});
  EXPECT_NE(report.output.find("outputs/b.md (3 bytes)"), std::string::npos) << report.output;
}

TEST_F(WorkspaceTest, TooMuchIsRefusedWithTheReasonAndKeptByNobody) {
  tools_.KeepFolder({.file_bytes = 10, .total_bytes = 15, .files = 3});
  const auto large = tools_.Call("write_file", Write("outputs/a.md", "more than ten bytes"));
  ASSERT_TRUE(large.error);
  EXPECT_EQ(large.error->code, ErrorCode::kTooLarge);
  EXPECT_TRUE(large.left.empty());
  EXPECT_NE(large.output.find("outputs/a.md has 19 bytes; a file in outputs/ may have 10"),
            std::string::npos);
  EXPECT_EQ(tools_.Call("list_files", R"({"path":"outputs"})").output, "no files");
  EXPECT_FALSE(tools_.Call("write_file", Write("outputs/a.md", "ten bytes.")).error);
  const auto total = tools_.Call("write_file", Write("outputs/b.md", "ten bytes."));
  ASSERT_TRUE(total.error);
  EXPECT_EQ(total.error->message, "outputs/ holds 20 bytes; 15 are kept at most");
}

TEST_F(WorkspaceTest, LargeFilesAreWrittenAndReadBesideTheLoop) {
  const std::string large(std::size_t{5} << 20, 'x');
  tools_.inputs.push_back({"large.bin", tools_.Record(large)});
  EXPECT_FALSE(tools_.Call("list_files", "{}").error);
  EXPECT_EQ(fs::file_size(tools_.task() / "inputs/large.bin"), large.size());
  if (FindSandbox().empty()) GTEST_SKIP() << "no bubblewrap";
  const auto copied = tools_.Call("run_program", R"({"argv":["cp","inputs/large.bin","outputs/copy.bin"]})");
  if (copied.error) GTEST_SKIP() << copied.error->message;
  ASSERT_EQ(copied.left.size(), 1U);
  EXPECT_EQ(copied.left[0].bytes, large);
}

TEST_F(WorkspaceTest, AnInputThatTheJournalDoesNotHaveIsTheToolsError) {
  tools_.inputs.push_back({"lost.bin", Content{Sha256("lost"), 4, 0}});
  const auto report = tools_.Call("list_files", "{}");
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace agenttalk
