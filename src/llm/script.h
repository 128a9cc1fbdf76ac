#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "base/time.h"
#include "model/request/model_request.h"

// A file of answers for the scripted provider: a YAML list of entries.
//
//   - when: {agent: analyst, stage: command, task: "sum*", command: "cmd_*", contains: "text", attempt: 1}
//     answer: {result: "…", score: 85}     # an object is sent as JSON text, a string as it is
//     times: 1                             # unlimited when missing
//     delay: 50ms
//   - error: {status: 429, retry_after: 1} # or {kind: timeout}, {kind: disconnect}
//   - echo: true                           # answers with the whole prompt
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
};

struct Script {
  std::vector<ScriptEntry> entries;
};

// Reports everything that is wrong at once, with lines. An unknown key is an error here: a misspelt condition
// would make an entry answer what it was not meant for.
std::expected<Script, Issues> ParseScript(std::string_view yaml);

bool Matches(const ScriptCondition& condition, const ModelRequest& request);
// Some entry may answer calls of this stage, which belong to no task; what the prompt must contain is left
// open.
bool MayAnswer(const Script& script, Stage stage, std::string_view agent);

}  // namespace agenttalk
