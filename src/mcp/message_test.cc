#include "mcp/message.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "mcp/protocol.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::size_t kLargest = 1000;

TEST(RpcMessage, ReadsAndWritesEachKind) {
  const std::vector<std::string> texts = {
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})",
      R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}})",
      R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
      R"({"jsonrpc":"2.0","id":7,"result":{"tools":[]}})",
      R"({"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no","data":{"a":1}}})",
      R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})",
  };
  for (const std::string& text : texts) {
    const auto message = ParseRpc(text, kLargest);
    ASSERT_TRUE(message) << text;
    EXPECT_EQ(RpcText(*message), text);
  }
}

struct Bad {
  std::string text;
  int code;
  std::string id;  // as JSON; empty: none
};

TEST(RpcMessage, RefusesWhatIsNoMessage) {
  const std::vector<Bad> table = {
      {"", kParseError, ""},
      {"{", kParseError, ""},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"x\"}", kParseError, ""},
      {std::string("{\"a\":\"\xff\"}"), kParseError, ""},
      {std::string(kLargest + 1, ' '), kParseError, ""},
      {std::string(100, '[') + std::string(100, ']'), kParseError, ""},
      {"[]", kInvalidRequest, ""},
      {"3", kInvalidRequest, ""},
      {"null", kInvalidRequest, ""},
      {"{}", kInvalidRequest, ""},
      {R"({"id":1,"method":"x"})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"1.0","id":1,"method":"x"})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":null,"method":"x"})", kInvalidRequest, ""},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"x"})", kInvalidRequest, ""},
      {R"({"jsonrpc":"2.0","id":{},"method":"x"})", kInvalidRequest, ""},
      {R"({"jsonrpc":"2.0","id":"q","method":7})", kInvalidRequest, "\"q\""},
      {R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","id":1,"result":[]})", kInvalidRequest, "1"},
      {R"({"jsonrpc":"2.0","result":{}})", kInvalidRequest, ""},
      {R"({"jsonrpc":"2.0","id":1,"error":{"code":"x","message":""}})", kInvalidRequest, "1"},
  };
  for (const Bad& bad : table) {
    const auto message = ParseRpc(bad.text, kLargest);
    ASSERT_FALSE(message) << bad.text;
    ASSERT_NE(message.error().error(), nullptr);
    EXPECT_EQ(message.error().error()->code, bad.code) << bad.text;
    const auto& id = message.error().id;
    EXPECT_EQ(id ? json::serialize(IdJson(*id)) : "", bad.id) << bad.text;
  }
}

}  // namespace
}  // namespace agenttalk::mcp
