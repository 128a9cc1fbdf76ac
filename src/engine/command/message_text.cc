#include "engine/command/message_text.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

void Member(std::string_view name, std::string_view value, std::string& out) {
  out += '"';
  out += name;
  out += "\":";
  AppendJsonString(value, out);
  out += ',';
}

}  // namespace

std::string MessageText(const MessageFacts& facts) {
  std::string out;
  out.reserve(480 + facts.content.size() + facts.result.value_or("").size());
  out += '{';
  Member("message_id", facts.message_id, out);
  Member("plan_id", facts.plan_id->str(), out);
  Member("command_id", facts.command_id->str(), out);
  Member("from", facts.from->str(), out);
  Member("to", facts.to->str(), out);
  Member("content", facts.content, out);
  if (facts.result && facts.result_is_json) {
    fmt::format_to(std::back_inserter(out), "\"result\":{},", *facts.result);
  } else if (facts.result) {
    Member("result", *facts.result, out);
  }
  if (facts.score) fmt::format_to(std::back_inserter(out), "\"score\":{},", *facts.score);
  out += "\"outputs\":[";
  for (const NamedContent& output : facts.outputs) {
    out += &output == facts.outputs.data() ? "{" : ",{";
    Member("name", output.name, out);
    out += "\"sha256\":\"";
    out += output.content.digest.Hex();
    out += "\"}";
  }
  out += "],\"hops\":";
  out += std::to_string(facts.hops);
  out += ",\"sent_at\":\"";
  out += ToRfc3339(facts.sent_at);
  out += "\"}";
  return out;
}

}  // namespace agenttalk
