#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "model/command/command.h"
#include "model/dag/task_dag.h"
#include "model/events/content.h"
#include "model/events/named_content.h"

// What comes of a task's result, as events tell it.
namespace agenttalk {

// An output that is wanted only with some scores: with those that are in any of the ranges.
struct OutputCondition {
  std::string name;
  std::vector<ScoreRange> scores;

  bool operator==(const OutputCondition&) const = default;
  // Without a score there is none that could hold.
  [[nodiscard]] bool Holds(const std::optional<double>& score) const;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("scores", self.scores);
  }
};

// An output that nobody gets, and why.
struct WithheldOutput {
  std::string name;
  std::string reason;

  bool operator==(const WithheldOutput&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("reason", self.reason);
  }
};

// A version of an output that keeps all of its versions: "report.v1.2.0.json" of "report.json".
struct OutputTag {
  std::string output;
  std::uint32_t major = 1;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;
  Content content;
  std::uint64_t revision = 0;  // of the task's node, when it was made
  std::uint32_t round = 0;     // of rework, when it was made

  bool operator==(const OutputTag&) const = default;
  [[nodiscard]] std::string FileName() const;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("output", self.output), f("major", self.major), f("minor", self.minor), f("patch", self.patch);
    f("content", self.content), f("revision", self.revision), f("round", self.round);
  }
};

// Whether a glob means such versions too: only one that says so.
bool MeansVersions(std::string_view glob);

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

// In the hub's own stream: a task's accepted result, for tasks of all plans that begin with the same request.
struct ResultShared {
  PlanId plan_id;  // where it was made
  TaskId task_id;
  Digest key;  // of the request
  Content result;
  std::vector<NamedContent> outputs;
  std::optional<double> score;
  std::string score_explanation;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("plan_id", self.plan_id), f("task_id", self.task_id), f("key", self.key), f("result", self.result);
    f("outputs", self.outputs), f("score", self.score), f("score_explanation", self.score_explanation);
  }
};

}  // namespace agenttalk
