#include "mcp/client/remote_server.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/reactor.h"
#include "llm/curl_client.h"
#include "llm/endpoint.h"
#include "mcp/client/remote_tool.h"
#include "model/config/mcp_server_config.h"
#include "tools/tool_runner.h"

// Servers that behave and servers that do not, as real programs (tests/mcp/plain_server.py).
namespace agenttalk::mcp {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

class McpServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "there is no python3";
    std::string folder = (fs::temp_directory_path() / "mcp_server_test_XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override {
    server_.reset();
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  void Start(const std::string& mode, const std::string& revision = "modern",
             milliseconds timeout = seconds(20)) {
    McpServerConfig config;
    config.command = "python3";
    config.args = {std::string(AGENTTALK_SOURCE_DIR) + "/tests/mcp/plain_server.py", mode, log().string(),
                   revision};
    config.timeout = timeout;
    server_ = std::make_shared<RemoteServer>(
        seams_, "plain", config,
        RemoteServer::Hooks{[this] { ++tool_lists_; },
                            [this](const std::string& text) { notes_ += text + "\n"; }, [] {}});
    server_->Start();
    StepUntil([this] { return server_->has_settled(); });
  }

  struct Outcome {
    std::string text;
    std::optional<ErrorCode> error;
  };
  Outcome Call(const std::string& tool, const ToolAsk& ask = {}) {
    std::optional<Outcome> outcome;
    ToolInvocation invocation;
    invocation.tool = "mcp__plain__" + tool;
    invocation.ask = ask;
    const auto running =
        server_->Call(Find(tool), {{"text", "hello"}}, invocation, [&](const ToolOutcomeReport& report) {
          outcome =
              report.error ? Outcome{report.error->message, report.error->code} : Outcome{report.output, {}};
        });
    StepUntil([&] { return outcome.has_value(); });
    return outcome.value_or(Outcome{"no outcome", ErrorCode::kInternal});
  }

  RemoteTool Find(const std::string& name) {
    for (const RemoteTool& tool : server_->tools()) {
      if (tool.name == name) return tool;
    }
    return {name, {}, {}, "{}", {}, {}, name == "look"};
  }

  template <typename Condition>
  void StepUntil(const Condition& condition, milliseconds longest = seconds(60)) {
    const MonotonicTime end = reactor_->Now() + longest;
    while (!condition() && reactor_->Now() < end) reactor_->WaitAndStep(milliseconds(50));
    EXPECT_TRUE(condition());
  }

  [[nodiscard]] fs::path log() const { return folder_ / "calls.log"; }
  [[nodiscard]] int CallsOf(const std::string& tool) const {
    std::ifstream file(log());
    int count = 0;
    for (std::string line; std::getline(file, line);) count += line.starts_with(tool + " ") ? 1 : 0;
    return count;
  }

  fs::path folder_;
  std::unique_ptr<Reactor> reactor_ = Reactor::Open().value();
  CurlClient http_{*reactor_};
  const ServerSeams seams_{*reactor_, http_, ProcessEnvironment(), fs::temp_directory_path()};
  std::shared_ptr<RemoteServer> server_;
  std::string notes_;
  int tool_lists_ = 0;
};

TEST_F(McpServer, AnswersInBothRevisions) {
  for (const char* revision : {"modern", "legacy"}) {
    Start("good", revision);
    ASSERT_TRUE(server_->is_ready()) << server_->problem();
    EXPECT_EQ(server_->version(), std::string(revision) == "modern" ? "2026-07-28" : "2025-11-25");
    EXPECT_EQ(server_->tools().size(), 2U);
    EXPECT_EQ(Call("say").text, "said hello");
    EXPECT_TRUE(Find("look").repeatable);
    EXPECT_FALSE(Find("say").repeatable);
  }
}

// What comes of each misbehaviour, for a tool that only reads and for one that must not run twice.
TEST_F(McpServer, EachMisbehaviourIsHandled) {
  struct Case {
    const char* mode;
    const char* tool;
    std::optional<ErrorCode> error;
    const char* text;
    int calls;
  };
  const std::vector<Case> cases = {
      {"hang", "look", ErrorCode::kToolFailed, "said nothing for", 1},
      {"hang", "say", ErrorCode::kOutcomeUnknown, "said nothing for", 1},
      {"crash", "look", std::nullopt, "said hello", 2},
      {"crash", "say", ErrorCode::kOutcomeUnknown, "out of patience", 1},
      {"crash_always", "look", ErrorCode::kToolFailed, "exit code 3", 2},
      {"garbage", "say", std::nullopt, "said hello", 1},
      {"garbage_only", "look", ErrorCode::kToolFailed, "no message", 2},
      {"garbage_only", "say", ErrorCode::kOutcomeUnknown, "no message", 1},
      {"huge", "say", ErrorCode::kOutcomeUnknown, "more than", 1},
      {"deaf", "look", ErrorCode::kToolFailed, "said nothing for", 1},
      {"good", "other", ErrorCode::kToolFailed, "Unknown tool", 1},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(fmt::format("{} {}", one.mode, one.tool));
    fs::remove(log());
    fs::remove(log().string() + ".crashed");
    const bool waits = std::string(one.mode) == "hang" || std::string(one.mode) == "deaf";
    Start(one.mode, "modern", waits ? milliseconds(700) : milliseconds(20'000));
    ASSERT_TRUE(server_->is_ready()) << server_->problem();
    const Outcome outcome = Call(one.tool);
    EXPECT_EQ(outcome.error, one.error) << outcome.text;
    EXPECT_NE(outcome.text.find(one.text), std::string::npos) << outcome.text;
    EXPECT_EQ(CallsOf(one.tool), one.calls);
  }
}

TEST_F(McpServer, OneThatFloodsIsEnded) {
  Start("flood");
  StepUntil([this] { return server_->problem().find("messages a second") != std::string::npos; });
  EXPECT_NE(notes_.find("messages a second"), std::string::npos) << notes_;
}

TEST_F(McpServer, OneThatDoesNotStartSaysWhyAndFailsItsCallsAtOnce) {
  Start("ends");
  EXPECT_FALSE(server_->is_ready());
  EXPECT_NE(notes_.find("no configuration"), std::string::npos) << notes_;
  StepUntil([this] { return notes_.find("exit code 7") != std::string::npos; });
}

TEST_F(McpServer, ProgressKeepsACallAlive) {
  Start("slow", "modern", milliseconds(500));
  std::optional<ToolOutcomeReport> report;
  auto running =
      server_->Call(Find("say"), {{"text", "x"}}, {}, [&](const ToolOutcomeReport& one) { report = one; });
  const MonotonicTime end = reactor_->Now() + seconds(2);
  while (reactor_->Now() < end) reactor_->WaitAndStep(milliseconds(50));
  EXPECT_FALSE(report) << (report && report->error ? report->error->message : "");
  // Given up: the server is told.
  running.reset();
  StepUntil([this] { return CallsOf("cancelled") == 1; });
}

TEST_F(McpServer, ANewListIsTakenOver) {
  Start("changes");
  EXPECT_EQ(Find("say").description, "Says the text.");
  std::ofstream(log().string() + ".changed") << "";
  StepUntil([this] { return Find("say").description != "Says the text."; });
  EXPECT_GE(tool_lists_, 2);
}

TEST_F(McpServer, APersonIsAskedInBothRevisions) {
  for (const char* revision : {"modern", "legacy"}) {
    Start("asks", revision);
    std::vector<std::string> asked;
    const auto ask = [&](const ToolQuestion& question, const std::function<void(const ToolAnswer&)>& answer) {
      asked.push_back(question.text);
      answer({ToolAnswer::Decision::kNone, asked.size() == 1 ? "x" : "Ann"});
    };
    EXPECT_EQ(Call("say", ask).text, "hello Ann") << revision;
    ASSERT_EQ(asked.size(), 2U) << "the first answer is too short";
    EXPECT_NE(asked[0].find("Who is to be greeted?"), std::string::npos);
    EXPECT_NE(asked[1].find("at least 2 characters"), std::string::npos) << asked[1];
    const auto decline = [](const ToolQuestion&, const std::function<void(const ToolAnswer&)>& answer) {
      answer({ToolAnswer::Decision::kReject, {}});
    };
    EXPECT_EQ(Call("say", decline).text, "nobody: decline") << revision;
    EXPECT_EQ(Call("say").text, "nobody: cancel") << "nobody can be asked";
  }
}

}  // namespace
}  // namespace agenttalk::mcp
