#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "model/content/content.h"
#include "model/content/file_fingerprint.h"
#include "model/content/named_content.h"

// What is sent between agents, and what could be neither delivered nor handled.
namespace agenttalk {

struct MessageSent {
  std::string message_id;
  CommandId command_id;
  AgentId from;
  AgentId to;
  Content message;  // the msg_*.json
  std::vector<NamedContent> outputs;
  std::uint32_t hops = 0;
  std::vector<std::string> warnings = {};

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("message_id", self.message_id), f("command_id", self.command_id), f("from", self.from);
    f("to", self.to), f("message", self.message), f("outputs", self.outputs), f("hops", self.hops);
    f("warnings", self.warnings);
  }
};

// What could not be handled, kept with its reason. Its id is "dl_" + the event's number.
struct DeadLettered {
  AgentId agent_id;
  CommandId command_id;
  std::string file;
  Content body;
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint;
  std::optional<FileFingerprint> source;
  std::vector<std::string> errors;
  // Of a message that could not be delivered: who sent it, and what goes along when it is tried again.
  AgentId sender = {};
  std::vector<NamedContent> outputs = {};
  std::uint32_t hops = 0;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("command_id", self.command_id), f("file", self.file);
    f("body", self.body), f("code", self.code), f("message", self.message), f("hint", self.hint);
    f("source", self.source), f("errors", self.errors);
    f("sender", self.sender), f("outputs", self.outputs), f("hops", self.hops);
  }
};

struct DeadLetterClosed {
  std::uint64_t letter = 0;  // the DeadLettered event's number
  bool retried = false;      // false: dropped

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("letter", self.letter), f("retried", self.retried);
  }
};

}  // namespace agenttalk
