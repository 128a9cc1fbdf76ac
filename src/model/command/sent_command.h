#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "model/command/command.h"
#include "model/content/content.h"

namespace agenttalk {

// A command for another task that a task's agent has made, on its way to the router.
struct SentCommand {
  std::string file;
  Content body;
  Command command;
  Digest payload;
  std::vector<std::string> warnings;
  // Why it cannot be routed; nothing: its form is right.
  std::optional<ErrorCode> code;
  std::string message;
  std::string hint;
  std::vector<std::string> errors;

  bool operator==(const SentCommand&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("file", self.file), f("body", self.body), f("command", self.command), f("payload", self.payload);
    f("warnings", self.warnings), f("code", self.code), f("message", self.message), f("hint", self.hint);
    f("errors", self.errors);
  }
};

}  // namespace agenttalk
