#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"
#include "model/events/event.h"

namespace agenttalk {

// The facts of a message to another agent (docs/formats/message.md).
struct MessageFacts {
  std::string_view message_id;
  const PlanId* plan_id = nullptr;
  const CommandId* command_id = nullptr;
  const AgentId* from = nullptr;
  const AgentId* to = nullptr;
  std::string_view content;
  std::optional<std::string_view> result;  // missing: there is none, or it went as a file
  bool result_is_json = false;
  std::optional<double> score;
  std::span<const NamedContent> outputs;
  std::uint32_t hops = 0;
  Timestamp sent_at;
};

// The msg_*.json. Written straight as text: it is made for every message, and a JSON tree would cost more
// than the rest of the step.
std::string MessageText(const MessageFacts& facts);

}  // namespace agenttalk
