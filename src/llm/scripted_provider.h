#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "base/time.h"
#include "llm/model_provider.h"
#include "model/model_request.h"

// Answers from a file, for offline runs, tests and demos. For each call the first entry wins whose conditions
// all hold and whose uses are not spent.
namespace agenttalk {

// Every condition that is given must hold. `agent`, `task` and `command` are globs.
struct ScriptCondition {
  std::optional<std::string> agent;
  std::optional<std::string> task;
  std::optional<std::string> command;
  std::optional<Stage> stage;
  std::optional<std::string> contains;  // in the system text or in a user message
  std::optional<std::uint32_t> attempt;
};

// Has exactly one of `answer`, `error` and `echo`.
struct ScriptEntry {
  ScriptCondition when;
  std::optional<std::string> answer;
  std::optional<ModelError> error;
  bool echo = false;
  std::optional<std::uint64_t> times;  // missing: unlimited
  Duration delay{};
  int line = 0;
};

struct Script {
  std::vector<ScriptEntry> entries;
};

// Reports everything that is wrong at once, with lines.
std::expected<Script, Issues> ParseScript(std::string_view yaml);

class ScriptedProvider final : public ModelProvider {
 public:
  // `uses[i]` is how often entry i has been used, as the journal tells by the `script_entry` of the recorded
  // answers and errors; a shorter list is filled up with zeros.
  explicit ScriptedProvider(Script script, std::vector<std::uint64_t> uses = {});

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;

  // How often each entry has been used, calls that were asked but not yet answered included.
  [[nodiscard]] const std::vector<std::uint64_t>& uses() const { return uses_; }

 private:
  ModelReply Reply(const ModelRequest& request);

  Script script_;
  std::vector<std::uint64_t> uses_;
};

}  // namespace agenttalk
