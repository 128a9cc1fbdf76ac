#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/content/content.h"
#include "model/dag/task_dag.h"

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

}  // namespace agenttalk
