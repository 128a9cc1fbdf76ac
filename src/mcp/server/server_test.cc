#include "mcp/server/server.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "mcp/message.h"
#include "mcp/protocol.h"
#include "mcp/server/http_request.h"
#include "mcp/server/hub_calls.h"
#include "mcp/server/resources.h"
#include "mcp/server/stdio_session.h"
#include "mcp/server/tool.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::size_t kLargest = 10'000;

// A hub that answers from a table and remembers what it was asked. `events` is kept back until told.
class FakeHub final : public HubCalls {
 public:
  [[nodiscard]] bool Allows(std::string_view method) const override { return !viewer || method != "goal"; }
  void Call(const std::string& method, json::object parameters, Done done) override {
    calls.push_back(method);
    last = std::move(parameters);
    if (method == "events" && last.contains("after")) {
      kept_back.push_back(std::move(done));
      return;
    }
    const auto found = answers.find(method);
    if (found == answers.end())
      return done(Fail(ErrorCode::kPlanUnknown, "there is no such plan", "see plans"));
    done(json::parse(found->second));
  }
  void Advance(const std::string& plan) override { advanced.push_back(plan); }
  [[nodiscard]] std::optional<Error> Obstacle(const std::string& /*plan*/) const override { return obstacle; }
  void Later(std::chrono::milliseconds /*time*/, std::function<void()> then) override { then(); }
  [[nodiscard]] std::chrono::steady_clock::time_point Now() const override { return now; }

  // Something happens.
  void Happen() {
    auto waiting = std::exchange(kept_back, {});
    for (const Done& done : waiting)
      done(json::parse(R"({"events":[{"words":"a task began"}],"last":9,"waited":true})"));
  }

  bool viewer = false;
  std::map<std::string, std::string> answers = {
      {"goal", R"({"status":"accepted","plan_id":"plan_x"})"},
      {"events", R"({"events":[],"last":5,"waited":false})"},
      {"show", R"({"plan_id":"plan_x","state":"running","active":true,"completed":0,"total":2,"questions":[],
                   "deliverables":[]})"},
      {"questions", "[]"},
      {"agents", "[]"},
  };
  std::vector<std::string> calls;
  json::object last;
  std::vector<Done> kept_back;
  std::vector<std::string> advanced;
  std::optional<Error> obstacle;
  std::chrono::steady_clock::time_point now{};
};

struct Client {
  explicit Client(bool initialized = true) {
    if (initialized)
      Say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
    if (initialized) Say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    heard.clear();
  }
  void Say(const std::string& line) { session.Take(line); }
  void Call(int id, const std::string& tool, const std::string& arguments, const std::string& meta = "{}") {
    Say(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" +
        tool + R"(","arguments":)" + arguments + R"(,"_meta":)" + meta + "}}");
  }
  [[nodiscard]] json::object Last() const { return json::parse(heard.back()).as_object(); }

  std::shared_ptr<FakeHub> hub = std::make_shared<FakeHub>();
  std::vector<std::string> heard;
  StdioSession session{Server(hub), kLargest, [this](const std::string& line) { heard.push_back(line); }};
};

int CodeOf(const json::object& response) {
  const json::object* error = ObjectIn(response, "error");
  return error == nullptr ? 0 : static_cast<int>(error->at("code").as_int64());
}

TEST(McpStdio, AgreesOnAVersionAndListsTools) {
  Client client(false);
  client.Say(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})");
  EXPECT_EQ(client.Last().at("result").at("protocolVersion"), "2025-06-18");
  client.Say(R"({"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"1999-01-01"}})");
  EXPECT_EQ(client.Last().at("result").at("protocolVersion"), "2025-11-25");
  client.Say(R"({"jsonrpc":"2.0","id":"t","method":"tools/list"})");
  const json::array tools = client.Last().at("result").at("tools").as_array();
  ASSERT_EQ(tools.size(), Tools().size());
  EXPECT_EQ(tools.front().at("name"), "run_goal");
  EXPECT_EQ(client.Last().at("id"), "t");
}

TEST(McpStdio, ServesTheModernEraWithoutInitialize) {
  Client client(false);
  const std::string meta =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
  client.Say(R"({"jsonrpc":"2.0","id":1,"method":"server/discover","params":{)" + meta + "}}");
  const json::object found = client.Last().at("result").as_object();
  EXPECT_EQ(found.at("resultType"), "complete");
  EXPECT_EQ(found.at("supportedVersions"), (json::array{"2026-07-28", "2025-11-25"}));
  EXPECT_EQ(found.at("_meta").at(kMetaServerInfo).at("name"), "agenttalk");
  client.Say(R"({"jsonrpc":"2.0","id":2,"method":"tools/list","params":{)" + meta + "}}");
  EXPECT_TRUE(client.Last().at("result").as_object().contains("ttlMs"));
  client.Say(R"({"jsonrpc":"2.0","id":3,"method":"ping","params":{)" + meta + "}}");
  EXPECT_EQ(CodeOf(client.Last()), kMethodNotFound);
}

struct Bad {
  std::string line;
  int code;  // 0: nothing is said
};

TEST(McpStdio, RefusesWhatIsWrongAndGoesOn) {
  const std::vector<Bad> table = {
      {"{", kParseError},
      {"[]", kInvalidRequest},
      {std::string(kLargest + 1, 'x'), kParseError},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", kInvalidRequest},  // before initialize
      {R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1"}}})",
       kUnsupportedVersion},
      {R"({"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})",
       kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"initialize"})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"nonsense"})", kMethodNotFound},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plans","arguments":3}})",
       kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"resources/read"})", kInvalidParams},
      {R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}})",
       kResourceNotFound},
      {R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"agenttalk://plans/../files/x"}})",
       kResourceNotFound},
      {R"({"jsonrpc":"2.0","id":1,"result":{}})", 0},
      {R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}})", 0},
      {R"({"jsonrpc":"2.0","method":"nonsense"})", 0},
      {"", 0},
  };
  Client client(false);
  for (const Bad& bad : table) {
    client.heard.clear();
    client.Say(bad.line);
    ASSERT_EQ(client.heard.size(), bad.code == 0 ? 0U : 1U) << bad.line.substr(0, 100);
    if (bad.code != 0) {
      EXPECT_EQ(CodeOf(client.Last()), bad.code) << bad.line.substr(0, 100);
    }
  }
  EXPECT_TRUE(client.hub->calls.empty());
  client.Say(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(client.Last().at("result"), json::object());
}

struct BadCall {
  std::string tool;
  std::string arguments;
  std::string says;
};

TEST(McpTools, SayWhatIsWrongWithTheirArguments) {
  const std::vector<BadCall> table = {
      {"run_goal", "{}", "run_goal needs goal"},
      {"run_goal", R"({"goal":7})", "goal must be a string"},
      {"run_goal", R"({"gaol":"x"})", "did you mean \"goal\"?"},
      {"run_goal", R"({"goal":"x","wait_s":-1})", "wait_s must be a number from 0 to 3600"},
      {"run_goal", R"({"goal":"x","wait_s":1e9})", "wait_s must be a number"},
      {"run_goal", R"({"goal":"x","fresh":"yes"})", "fresh must be true or false"},
      {"run_goal", R"({"goal":"x","files":[{"name":"a"}]})", "files must be a list"},
      {"run_goal", R"({"goal":"x","files":[{"name":"a","content":"","content_base64":""}]})",
       "files must be a list"},
      {"run_plan", "{}", "either plan or plan_id"},
      {"run_plan", R"({"plan":"x","plan_id":"y"})", "either plan or plan_id"},
      {"run_plan", R"({"plan_id":"y","files":[]})", "files go with plan"},
      {"answer", R"({"id":"q","decision":"maybe"})", "one of: approve, reject"},
      {"control", R"({"plan_id":"p","action":"explode"})", "one of: pause, resume, cancel"},
      {"send_command", R"({"command":[]})", "command must be an object"},
      {"plans", R"({"limit":1.5})", "limit must be a number"},
      {"say", R"({"plan_id":"p","text":"x"})", "PLAN_UNKNOWN: there is no such plan\nhint: see plans"},
  };
  Client client;
  for (const BadCall& bad : table) {
    client.Call(1, bad.tool, bad.arguments);
    const json::object result = client.Last().at("result").as_object();
    EXPECT_TRUE(result.contains("isError")) << bad.tool << bad.arguments;
    const std::string text(result.at("content").at(0).at("text").as_string());
    EXPECT_NE(text.find(bad.says), std::string::npos) << text;
  }
  EXPECT_TRUE(client.hub->advanced.empty());
}

TEST(McpTools, ARunReportsProgressUntilThePlanNeedsAPerson) {
  Client client;
  client.Call(1, "run_goal", R"({"goal":"bees"})", R"({"progressToken":"p"})");
  EXPECT_EQ(client.hub->advanced, std::vector<std::string>{"plan_x"});
  ASSERT_EQ(client.heard.size(), 1U);  // progress; the answer is to come
  EXPECT_EQ(client.Last().at("params").at("progressToken"), "p");
  client.hub->answers["show"] =
      R"({"plan_id":"plan_x","state":"running","active":true,"completed":1,"total":2,
      "questions":[],"deliverables":[]})";
  client.hub->Happen();
  ASSERT_EQ(client.heard.size(), 2U);
  EXPECT_EQ(client.Last().at("params").at("message"), "running, 1 of 2 tasks completed: a task began");
  client.hub->answers["show"] =
      R"({"plan_id":"plan_x","state":"waiting","active":true,"completed":1,"total":2,
      "questions":["q_1"],"deliverables":[{"name":"a b.md","size":3,"sha256":"0123456789abcdef0123"}]})";
  client.hub->answers["questions"] =
      R"([{"id":"q_1","plan_id":"plan_x","kind":"approve","text":"Good?","files":[]},
                                         {"id":"q_2","plan_id":"plan_y","kind":"approve","text":"?","files":[]}])";
  client.hub->Happen();
  const json::object result = client.Last().at("result").as_object();
  const json::object& content = result.at("structuredContent").as_object();
  EXPECT_EQ(content.at("state"), "waiting");
  ASSERT_EQ(content.at("questions").as_array().size(), 1U);
  EXPECT_EQ(content.at("outputs").at(0).at("uri"),
            "agenttalk://plans/plan_x/files/a%20b.md?version=0123456789abcdef");
  EXPECT_EQ(result.at("content").at(1).at("type"), "resource_link");
  double before = -1;
  for (const std::string& line : client.heard) {
    const json::object message = json::parse(line).as_object();
    if (!message.contains("method")) continue;
    EXPECT_GT(message.at("params").at("progress").to_number<double>(), before);
    before = message.at("params").at("progress").to_number<double>();
  }
  EXPECT_FALSE(client.session.busy());
}

TEST(McpTools, ARunThatTakesTooLongSaysHowToWaitForIt) {
  Client client;
  client.Call(1, "run_goal", R"({"goal":"bees","wait_s":30})");
  EXPECT_TRUE(client.heard.empty());
  EXPECT_LE(client.hub->last.at("wait_s").to_number<int>(), 15);
  client.hub->now += std::chrono::seconds(31);
  client.hub->Happen();
  const json::object content = client.Last().at("result").at("structuredContent").as_object();
  EXPECT_EQ(content.at("state"), "running");
  EXPECT_TRUE(content.at("next").as_string().starts_with("It is still running."));
}

TEST(McpTools, AWorkerThatCannotWorkEndsTheWait) {
  Client client;
  client.hub->obstacle = Error{ErrorCode::kPermissionDenied, "the hub is not trusted", ""};
  client.Call(1, "run_goal", R"({"goal":"bees"})");
  EXPECT_EQ(client.Last().at("result").at("structuredContent").at("next"),
            "It cannot be worked on: the hub is not trusted");
}

TEST(McpStdio, ACancelledRequestIsNotAnswered) {
  Client client;
  client.Call(1, "run_goal", R"({"goal":"bees"})");
  client.Call(1, "agents", "{}");
  EXPECT_EQ(CodeOf(client.Last()), kInvalidRequest);  // the id is in use
  client.heard.clear();
  client.Say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  client.hub->now += std::chrono::hours(1);
  client.hub->Happen();
  EXPECT_TRUE(client.heard.empty());
  EXPECT_FALSE(client.session.busy());
  client.Call(1, "agents", "{}");
  EXPECT_EQ(client.heard.size(), 1U);
}

TEST(McpStdio, AClientThatVanishesIsForgotten) {
  auto client = std::make_unique<Client>();
  for (int i = 0; i < 70; ++i) client->Call(i, "run_goal", R"({"goal":"bees"})");
  EXPECT_EQ(client->heard.size(), 6U);  // too many are under way
  EXPECT_EQ(CodeOf(client->Last()), kInternalError);
  const auto hub = client->hub;
  client.reset();
  hub->now += std::chrono::hours(1);
  hub->Happen();  // nobody is there any more
  EXPECT_TRUE(hub->kept_back.empty());
}

TEST(McpTools, AViewerDoesNotSeeOrCallWhatRunsThings) {
  Client client;
  client.hub->viewer = true;
  client.Say(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_EQ(client.Last().at("result").at("tools").as_array().size(), Tools().size() - 1);
  client.Call(2, "run_goal", R"({"goal":"bees"})");
  EXPECT_TRUE(client.Last().at("result").as_object().contains("isError"));
  EXPECT_TRUE(client.hub->calls.empty());
}

TEST(McpResources, AddressesAreReadBack) {
  for (const ResourceName& name :
       {ResourceName{"plan_a", "b.md", ""}, ResourceName{"plan_a", "ä b?version=1/%.md", "12ab"}}) {
    const auto read = ParseUri(UriOf(name));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->plan, name.plan);
    EXPECT_EQ(read->file, name.file);
    EXPECT_EQ(read->version, name.version);
  }
  for (const char* uri :
       {"", "agenttalk://", "agenttalk://plans/x", "agenttalk://plans//files/a", "agenttalk://plans/p/files/",
        "agenttalk://plans/p/files/%", "agenttalk://plans/p/files/%ff", "agenttalk://plans/p/files/%zz",
        "agenttalk://plans/a%2Fb/files/c"})
    EXPECT_FALSE(ParseUri(uri)) << uri;
}

TEST(McpResources, TextAndBytesAreTold) {
  Client client;
  client.hub->answers["file"] = R"({"content_base64":"QmVlcy4="})";
  client.Say(
      R"({"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"agenttalk://plans/p/files/a.md"}})");
  EXPECT_EQ(client.Last().at("result").at("contents").at(0).at("text"), "Bees.");
  EXPECT_EQ(client.Last().at("result").at("contents").at(0).at("mimeType"), "text/markdown");
  client.hub->answers["file"] = R"({"content_base64":"/wA="})";
  client.Say(
      R"({"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"agenttalk://plans/p/files/a.png"}})");
  EXPECT_EQ(client.Last().at("result").at("contents").at(0).at("blob"), "/wA=");
}

struct Posted {
  std::string name;
  HttpHeaders headers;
  std::string body;
  unsigned status;  // 0: it is handled
  int code = 0;
  Era era = Era::kModern;
};

TEST(McpHttp, HeadersAndBodyHaveToAgree) {
  const std::string meta =
      R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
  const std::string list = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{)" + meta + "}}";
  const std::string call =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plans",)" + meta + "}}";
  const std::string legacy = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
  const std::string modern(kModernRevision);
  const std::vector<Posted> table = {
      {"good", {modern, "tools/list"}, list, 0},
      {"good name", {modern, "tools/call", "plans"}, call, 0},
      {"coded name", {modern, "tools/call", "=?base64?cGxhbnM=?="}, call, 0},
      {"bad coded name", {modern, "tools/call", "=?base64?cGxh!?="}, call, 400, kHeaderMismatch},
      {"other name", {modern, "tools/call", "run_goal"}, call, 400, kHeaderMismatch},
      {"no name", {modern, "tools/call"}, call, 400, kHeaderMismatch},
      {"other method", {modern, "tools/call"}, list, 400, kHeaderMismatch},
      {"no method", {modern}, list, 400, kHeaderMismatch},
      {"case", {modern, "TOOLS/LIST"}, list, 400, kHeaderMismatch},
      {"no version", {std::nullopt, "tools/list"}, list, 400, kHeaderMismatch},
      {"legacy header, modern body", {"2025-11-25", "tools/list"}, list, 400, kHeaderMismatch},
      {"no metadata", {modern, "tools/list"}, legacy, 400, kInvalidParams},
      {"unknown version",
       {"v9", "tools/list"},
       R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"v9"}}})",
       400,
       kUnsupportedVersion},
      {"legacy", {"2025-11-25"}, legacy, 0, 0, Era::kLegacy},
      {"legacy without a version", {}, legacy, 0, 0, Era::kLegacy},
      {"garbage", {}, "{", 400, kParseError},
      {"batch", {}, "[]", 400, kInvalidRequest},
      {"response", {}, R"({"jsonrpc":"2.0","id":1,"result":{}})", 400, kInvalidRequest},
      {"notification", {}, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", 202},
  };
  for (const Posted& posted : table) {
    const auto read = ReadHttp(posted.headers, posted.body, kLargest);
    if (posted.status == 0) {
      const auto* request = std::get_if<HttpRequest>(&read);
      ASSERT_NE(request, nullptr) << posted.name;
      EXPECT_EQ(request->era, posted.era) << posted.name;
      continue;
    }
    const auto* answer = std::get_if<HttpAnswer>(&read);
    ASSERT_NE(answer, nullptr) << posted.name;
    EXPECT_EQ(answer->status, posted.status) << posted.name;
    EXPECT_EQ(answer->body ? answer->body->error()->code : 0, posted.code) << posted.name;
  }
  const auto cancel = ReadHttp(
      {}, R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}})", kLargest);
  EXPECT_EQ(std::get<HttpCancel>(cancel).id, RpcId(std::int64_t{4}));
}

}  // namespace
}  // namespace agenttalk::mcp
