
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/json.h"
#include "tools/tool_fixture.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

std::string Argument(const std::string& name, const std::string& value) {
  std::string text = "{\"" + name + "\":";
  AppendJsonString(value, text);
  return text + "}";
}

class FileToolsTest : public testing::Test {
 protected:
  ToolFixture tools_;
};

TEST_F(FileToolsTest, ReadsInputsAndSaysHowToReadOn) {
  tools_.Put("inputs/notes.md", "one\ntwo\nthree\n");
  EXPECT_EQ(tools_.Call("read_file", R"({"path":"inputs/notes.md"})").output, "one\ntwo\nthree\n");
  EXPECT_EQ(tools_.Call("read_file", R"({"path":"inputs/notes.md","first_line":2,"lines":1})").output,
            "two\n[more follows: read on with \"first_line\": 3]\n");
}

TEST_F(FileToolsTest, WritesBelowOutputsAndWork) {
  EXPECT_FALSE(tools_.Call("write_file", R"({"path":"work/deep/down/a.txt","content":"first"})").error);
  EXPECT_FALSE(tools_.Call("write_file", R"({"path":"work/deep/down/a.txt","content":"second"})").error);
  EXPECT_EQ(tools_.Get("work/deep/down/a.txt"), "second");
  EXPECT_EQ(tools_.Call("write_file", R"({"path":"outputs/r.md","content":"好"})").output,
            "wrote 3 bytes to outputs/r.md");
  const auto refused = tools_.Call("write_file", R"({"path":"inputs/a.txt","content":"x"})");
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->code, ErrorCode::kPermissionDenied);
}

TEST_F(FileToolsTest, ListsAndSearches) {
  tools_.Put("inputs/a.md", "alpha\nbeta gamma\n");
  tools_.Put("work/b.txt", "gamma\n");
  EXPECT_EQ(tools_.Call("list_files", "{}").output,
            "inputs/\ninputs/a.md (17 bytes)\noutputs/\nwork/\nwork/b.txt (6 bytes)\n");
  EXPECT_EQ(tools_.Call("list_files", R"({"path":"work"})").output, "work/b.txt (6 bytes)\n");
  EXPECT_EQ(tools_.Call("search_files", R"({"text":"gamma"})").output,
            "inputs/a.md:2: beta gamma\nwork/b.txt:1: gamma\n");
  EXPECT_EQ(tools_.Call("search_files", R"({"text":"gamma","files":"*.txt"})").output,
            "work/b.txt:1: gamma\n");
  EXPECT_EQ(tools_.Call("search_files", R"({"text":"delta"})").output, "nothing found");
}

TEST_F(FileToolsTest, CutsLongAnswersAndSaysSo) {
  tools_.Put("inputs/long.txt", std::string(150'000, 'x'));
  const std::string output = tools_.Call("read_file", R"({"path":"inputs/long.txt"})").output;
  EXPECT_TRUE(output.ends_with("x\n[cut here: the whole is 150000 bytes, 100000 are shown]"))
      << output.substr(99'990);
}

TEST_F(FileToolsTest, CallsBinaryDataByItsName) {
  tools_.Put("inputs/package.zip", std::string("PK\x03\x04\x00\xff", 6));
  const auto report = tools_.Call("read_file", R"({"path":"inputs/package.zip"})");
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->message, "inputs/package.zip: 6 bytes that are not text");
}

// What somebody would try who wants to leave the task's folder.
std::vector<std::string> PathsOut(const fs::path& hub, const fs::path& magic) {
  return {
      "../secret.txt",
      "../../../../../secret.txt",
      "work/../../../../../../secret.txt",
      "work/../../../bo/workspace/secret.txt",
      "inputs/../../../../../../../secret.txt",
      "..",
      "../",
      "work/..",
      "./inputs/./../../x",
      ".",
      "/",
      "//",
      "/etc/passwd",
      "//etc/passwd",
      "/proc/self/environ",
      (magic / "etc/passwd").string(),
      "/proc/1/environ",
      "/dev/zero",
      "/sys/kernel",
      (hub / "secret.txt").string(),
      "work/link",
      "work/relative",
      "work/folder/secret.txt",
      "work/slash/etc/passwd",
      "work/magic/etc/passwd",
      "work/up/up/up/up/up/secret.txt",
      "work/hard",
      "work/fifo",
      "work//link",
      "work/./link",
      "work/link/",
      "~/secret.txt",
      "$HOME/secret.txt",
      "file:///etc/passwd",
      "work\\..\\secret.txt",
      "work/%2e%2e/secret.txt",
      std::string("work/a\nb"),
      std::string("work/a\x01"),
      std::string("work/\xc0\xae\xc0\xae/secret.txt"),
      std::string("work/x").append(3000, 'x'),
      "work/" + std::string(300, 'n'),
      [] {
        std::string deep = "work";
        for (int i = 0; i < 100; ++i) deep += "/d";
        return deep;
      }(),
  };
}

// Whatever a path is made of, a tool reaches nothing outside of the task's folder.
TEST_F(FileToolsTest, NoPathLeadsOutOfTheTask) {
  const std::string secret = "a secret of the hub";
  std::ofstream(tools_.hub() / "secret.txt") << secret;
  fs::create_directories(tools_.hub() / "agents/bo/workspace");
  std::ofstream(tools_.hub() / "agents/bo/workspace/secret.txt") << secret;
  fs::create_symlink(tools_.hub() / "secret.txt", tools_.task() / "work/link");
  fs::create_symlink("../../../../../../secret.txt", tools_.task() / "work/relative");
  fs::create_directory_symlink(tools_.hub(), tools_.task() / "work/folder");
  // The kernel follows this link by itself, not by its text.
  const fs::path magic = fs::path("/proc/self") / "root";
  fs::create_directory_symlink("/", tools_.task() / "work/slash");
  fs::create_directory_symlink(magic, tools_.task() / "work/magic");
  fs::create_directory_symlink("..", tools_.task() / "work/up");
  fs::create_hard_link(tools_.hub() / "secret.txt", tools_.task() / "work/hard");
  ASSERT_EQ(::mkfifo((tools_.task() / "work/fifo").c_str(), 0600), 0);
  for (const std::string& path : PathsOut(tools_.hub(), magic)) {
    const auto read = tools_.Call("read_file", Argument("path", path));
    EXPECT_TRUE(read.error) << path;
    EXPECT_EQ(read.output.find(secret), std::string::npos) << path;
    const auto listed = tools_.Call("list_files", Argument("path", path));
    EXPECT_EQ(listed.output.find("secret.txt ("), std::string::npos) << path;
    std::string arguments = Argument("path", path);
    arguments.insert(arguments.size() - 1, R"(,"content":"overwritten")");
    (void)tools_.Call("write_file", arguments);
  }
  std::ifstream stream(tools_.hub() / "secret.txt");
  const std::string after{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(after, secret);
  for (const auto& entry : fs::directory_iterator(tools_.hub()))
    EXPECT_TRUE(entry.path().filename() == "agents" || entry.path().filename() == "secret.txt")
        << entry.path();
  const auto found = tools_.Call("search_files", Argument("text", secret));
  EXPECT_EQ(found.output, "nothing found");
}

}  // namespace
}  // namespace agenttalk
