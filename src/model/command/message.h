#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/reading/checked.h"

namespace agenttalk {

// A result as a model gave it: a text, or any other JSON value as its canonical text.
struct MessageResult {
  std::string text;
  bool is_json = false;

  bool operator==(const MessageResult&) const = default;
};

struct MessageOutput {
  std::string name;
  Digest sha256;

  bool operator==(const MessageOutput&) const = default;
};

// What a command's end tells another agent: the content of msg_*.json (docs/formats/message.md).
struct Message {
  std::string message_id;
  PlanId plan_id;
  CommandId command_id;  // empty: not sent by a command
  AgentId from;
  AgentId to;
  std::string content;
  std::optional<MessageResult> result;  // missing: there is none, or it went as a file
  std::optional<double> score;
  std::vector<MessageOutput> outputs;
  std::uint32_t hops = 0;
  Timestamp sent_at;

  bool operator==(const Message&) const = default;
};

Checked<Message> ReadMessage(const boost::json::value& value);
Checked<Message> ParseMessage(std::string_view text);

boost::json::value ToJson(const Message& message);

}  // namespace agenttalk
