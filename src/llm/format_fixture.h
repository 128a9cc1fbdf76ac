#pragma once

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

// For the tests of the vendors' formats.
namespace agenttalk {

inline constexpr std::size_t kTestLimit = 100'000;

// Reads a body cut into two pieces at `cut`.
inline ModelOutcome ReadCut(const WireFormat& format, std::string_view body, std::size_t cut) {
  AnswerReader reader(format, kTestLimit);
  reader.Feed(body.substr(0, cut));
  reader.Feed(body.substr(cut));
  return reader.Finish();
}

// Reads a body, and again cut at every byte and byte by byte: all must come to the same.
inline ModelOutcome ReadEveryWay(const WireFormat& format, std::string_view body) {
  const ModelOutcome whole = ReadCut(format, body, 0);
  for (std::size_t cut = 1; cut < body.size(); ++cut) EXPECT_EQ(ReadCut(format, body, cut), whole) << cut;
  AnswerReader drip(format, kTestLimit);
  for (const char& byte : body) drip.Feed({&byte, 1});
  EXPECT_EQ(drip.Finish(), whole);
  return whole;
}

inline constexpr std::string_view kAnswerSchema =
    R"({"type":"object","properties":{"result":{"type":"string"}},"required":["result"],"additionalProperties":false})";

// Every part that a request can have.
inline ModelRequest FullRequest() {
  ModelRequest request;
  request.system = "You are brief.";
  request.messages.push_back({Role::kUser, "How warm is it?", {}, {}, false});
  request.messages.push_back(
      {Role::kAssistant, "I look.", {{"call_1", "look", R"({"at":"Rome"})"}}, {}, false});
  request.messages.push_back({Role::kTool, "21", {}, "call_1", false});
  request.messages.push_back({Role::kTool, "broken", {}, "call_1", true});
  request.tools.push_back({"look", "Looks somewhere.", R"({"type":"object"})"});
  request.answer_schema = kAnswerSchema;
  request.idempotency_key = "key-1";
  return request;
}

inline ModelRequest WithoutTools(ModelRequest request) {
  request.tools.clear();
  return request;
}

inline boost::json::object BodyOf(const WireCall& call) {
  const auto value = ParseJson(call.body);
  return value ? value->as_object() : boost::json::object();
}

inline std::string HeaderOf(const WireCall& call, std::string_view name) {
  const std::string* found = FindHeader(call.headers, name);
  return found == nullptr ? "(none)" : *found;
}

}  // namespace agenttalk
