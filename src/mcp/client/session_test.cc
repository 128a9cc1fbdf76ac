#include "mcp/client/session.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/fake_timers.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;
using std::chrono::seconds;

// Keeps what is sent.
class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(bool http) : http_(http) {}
  void Send(OutgoingMessage message) override { sent.push_back(std::move(message)); }
  void Drop(std::int64_t id) override { dropped.push_back(id); }
  void ListenApart(HttpHeaders /*headers*/) override { ++apart; }
  [[nodiscard]] bool is_http() const override { return http_; }

  [[nodiscard]] json::object last() const { return json::parse(sent.back().text).as_object(); }
  [[nodiscard]] std::string method() const { return std::string(last().at("method").as_string()); }

  std::vector<OutgoingMessage> sent;
  std::vector<std::int64_t> dropped;
  int apart = 0;

 private:
  const bool http_;
};

class McpSession : public ::testing::Test, public Session::Owner, public CallListener {
 protected:
  void OnTools() override { ++lists; }
  void OnFailed(const std::string& why) override { failed = why; }
  void OnNote(const std::string& text) override { notes += text + "\n"; }
  void OnOutcome(CallOutcome outcome) override { outcomes.push_back(std::move(outcome)); }
  void OnQuestion(json::object /*params*/, Answer answer) override { answers.push_back(std::move(answer)); }

  void Answer(const char* result) {
    session.OnMessage(RpcResponse{RpcId(transport.sent.back().id), json::parse(result).as_object()}, 0);
  }
  void Refuse(int code, json::value data = nullptr) {
    session.OnMessage(RpcResponse{RpcId(transport.sent.back().id), RpcError{code, "no", std::move(data)}}, 0);
  }
  void MakeReady() {
    session.Start(transport);
    Answer(R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}})");
    Answer(R"({"tools":[{"name":"say","inputSchema":{"type":"object"}}]})");
    ASSERT_TRUE(session.is_ready()) << failed;
  }

  FakeTransport transport{false};
  FakeTimers timers;
  Session session{timers, {}, *this};
  int lists = 0;
  std::string failed;
  std::string notes;
  std::vector<CallOutcome> outcomes;
  std::vector<CallListener::Answer> answers;
};

TEST_F(McpSession, TakesAnythingButAProperDiscoveryForALegacyServer) {
  session.Start(transport);
  EXPECT_EQ(transport.method(), "server/discover");
  Answer("{}");
  EXPECT_EQ(transport.method(), "initialize");
  EXPECT_FALSE(transport.last().at("params").as_object().contains("_meta"));
  Answer(R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}}})");
  EXPECT_EQ(transport.method(), "tools/list");
  Answer(R"({"tools":[]})");
  EXPECT_TRUE(session.is_ready());
  EXPECT_EQ(session.version(), "2025-06-18");
}

TEST_F(McpSession, AsksALegacyServerWhenNothingIsAnsweredButHearsALateAnswer) {
  session.Start(transport);
  timers.Advance(seconds(11));
  EXPECT_EQ(transport.method(), "initialize");
  session.OnMessage(
      RpcResponse{RpcId(std::int64_t{1}),
                  json::parse(R"({"supportedVersions":["2026-07-28"],"capabilities":{}})").as_object()},
      0);
  EXPECT_TRUE(session.is_ready());
  EXPECT_EQ(session.version(), "2026-07-28");
}

TEST_F(McpSession, ChoosesAmongTheVersionsThatAServerNames) {
  session.Start(transport);
  Refuse(-32022, {{"supported", {"2026-07-28"}}});
  EXPECT_EQ(transport.method(), "server/discover") << "once more";
  Refuse(-32022, {{"supported", {"2025-11-25"}}});
  EXPECT_EQ(transport.method(), "initialize");
}

TEST_F(McpSession, SaysWhichVersionsDoNotFit) {
  session.Start(transport);
  Answer(R"({"supportedVersions":["2031-01-01"],"capabilities":{}})");
  EXPECT_NE(failed.find("2031-01-01"), std::string::npos) << failed;
}

TEST_F(McpSession, RepeatsACallWithWhatPeopleSaid) {
  MakeReady();
  session.Call(session.tools()[0], {}, {}, *this);
  const std::int64_t first = transport.sent.back().id;
  Answer(
      R"({"resultType":"input_required","requestState":"s","inputRequests":{"q":{"method":"elicitation/create","params":{}}}})");
  ASSERT_EQ(answers.size(), 1U);
  timers.Advance(seconds(100'000));  // people take their time
  answers[0]({{"action", "accept"}});
  const json::object params = transport.last().at("params").as_object();
  EXPECT_NE(transport.sent.back().id, first);
  EXPECT_EQ(params.at("requestState").as_string(), "s");
  EXPECT_EQ(json::serialize(params.at("inputResponses")), R"({"q":{"action":"accept"}})");
  Answer(R"({"content":[]})");
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].end, CallEnd::kAnswered);
}

TEST_F(McpSession, RefusesInputThatItDoesNotOffer) {
  MakeReady();
  session.Call(session.tools()[0], {}, {}, *this);
  Answer(
      R"({"resultType":"input_required","inputRequests":{"q":{"method":"sampling/createMessage","params":{}}}})");
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].end, CallEnd::kInvalid);
  session.Call(session.tools()[0], {}, {}, *this);
  Answer(R"({"resultType":"surprise"})");
  EXPECT_EQ(outcomes.back().end, CallEnd::kInvalid);
}

TEST_F(McpSession, CancelsAtTheServerWhenTimeIsOver) {
  MakeReady();
  session.Call(session.tools()[0], {}, {seconds(10), seconds(60)}, *this);
  const std::int64_t id = transport.sent.back().id;
  timers.Advance(seconds(9));
  session.OnMessage(RpcNotification{"notifications/progress", {{"progressToken", 1}, {"progress", 1}}}, 0);
  timers.Advance(seconds(9));
  EXPECT_TRUE(outcomes.empty()) << "a word of progress";
  timers.Advance(seconds(2));
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].end, CallEnd::kTimedOut);
  EXPECT_EQ(transport.method(), "notifications/cancelled");
  EXPECT_EQ(transport.last().at("params").at("requestId").as_int64(), id);
  // It answers all the same: nobody listens.
  session.OnMessage(RpcResponse{RpcId(id), json::object{{"content", json::array()}}}, 0);
  EXPECT_EQ(outcomes.size(), 1U);
}

TEST_F(McpSession, ListsAgainOnceForManyChanges) {
  MakeReady();
  const std::size_t before = transport.sent.size();
  for (int i = 0; i < 100; ++i) session.OnMessage(RpcNotification{"notifications/tools/list_changed", {}}, 0);
  timers.Advance(seconds(1));
  EXPECT_EQ(transport.sent.size(), before + 1);
  Answer(
      R"({"tools":[{"name":"say","inputSchema":{"type":"object"}},{"name":"say","inputSchema":{}},{"name":"x"}]})");
  EXPECT_EQ(lists, 2);
  EXPECT_EQ(session.tools().size(), 1U);
  EXPECT_NE(notes.find("two of that name"), std::string::npos) << notes;
  EXPECT_NE(notes.find("no inputSchema"), std::string::npos) << notes;
}

TEST_F(McpSession, LosesItsCallsWithTheServer) {
  MakeReady();
  session.Call(session.tools()[0], {}, {}, *this);
  session.OnClosed("it ended");
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].end, CallEnd::kLost);
  EXPECT_EQ(failed, "it ended");
}

}  // namespace
}  // namespace agenttalk::mcp
