#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "model/content/content.h"
#include "model/content/cost.h"
#include "model/content/named_content.h"
#include "model/events/failed_try.h"

// What a running command asks of models and tools, and what they answer (engine/command/conversation.h).
namespace agenttalk {

struct ModelCallIntended {
  CommandId command_id;
  std::uint32_t call = 0;  // counts the command's calls, of models and tools, from 1
  Content request;
  Digest reuse_key;
  Cost reserved;
  std::uint32_t model_call = 0;            // counts the command's model calls from 1
  std::vector<NamedContent> by_path = {};  // inputs that the prompt only names; they lie in the workspace
  std::vector<std::string> warnings = {};

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("request", self.request);
    f("reuse_key", self.reuse_key), f("reserved", self.reserved), f("model_call", self.model_call);
    f("by_path", self.by_path), f("warnings", self.warnings);
  }
};

struct ModelCallFinished {
  CommandId command_id;
  std::uint32_t call = 0;
  Content answer;  // the raw text; empty when none came
  Cost cost;
  std::optional<ErrorCode> error;
  std::string message;
  std::int64_t script_entry = -1;            // which scripted answer was used up
  std::vector<FailedTry> failed_tries = {};  // before the last one; of very many, the first and the last
  std::string model = {};  // that the cost is of, as its provider names it; empty: none answered

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("answer", self.answer), f("cost", self.cost);
    f("error", self.error), f("message", self.message), f("script_entry", self.script_entry);
    f("failed_tries", self.failed_tries);
    f("model", self.model);
  }
};

// The answer did not meet its contract; the model is told these errors.
struct AnswerRefused {
  CommandId command_id;
  std::uint32_t call = 0;
  std::vector<std::string> errors;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("errors", self.errors);
  }
};

struct ToolCallIntended {
  CommandId command_id;
  std::uint32_t call = 0;
  std::string tool;
  Content arguments;
  bool idempotent = true;
  std::string provider_call;  // the id under which the provider knows it; may be empty

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("tool", self.tool);
    f("arguments", self.arguments), f("idempotent", self.idempotent);
    f("provider_call", self.provider_call);
  }
};

struct ToolCallFinished {
  CommandId command_id;
  std::uint32_t call = 0;
  Content result;
  std::optional<ErrorCode> error;
  std::string message;
  std::vector<NamedContent> captured = {};  // files in outputs/ that are new or have other content
  std::vector<std::string> removed = {};    // files that were there before

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("result", self.result), f("error", self.error);
    f("message", self.message), f("captured", self.captured), f("removed", self.removed);
  }
};

// A tool call that is made only when a person has agreed to it (engine/command/held_calls.h).
struct ToolCallHeld {
  CommandId command_id;
  std::string tool;
  Content arguments;
  bool idempotent = true;
  std::string provider_call;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("tool", self.tool), f("arguments", self.arguments);
    f("idempotent", self.idempotent), f("provider_call", self.provider_call);
  }
};

// The process ended while the call was open, so that its outcome is unknown; it is made again.
struct CallRestarted {
  CommandId command_id;
  std::uint32_t call = 0;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call);
  }
};

}  // namespace agenttalk
