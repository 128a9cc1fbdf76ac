#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/task_dag.h"
#include "simulation/chance.h"

namespace agenttalk {

// A random DAG with every policy, gates, scores, conditions and fallbacks. It is valid and complete.
TaskDag RandomDag(Chance& chance, std::uint32_t tasks, std::uint32_t agents);

// What models and people will say in one run. It depends on the task and on how often it was asked alone, so
// that the end does not depend on the order of answers.
class Fate {
 public:
  explicit Fate(std::uint64_t seed) : seed_(seed) {}

  // The answer to a task's command with this number: a score; nothing: it fails for good.
  [[nodiscard]] std::optional<double> Answer(const std::string& task, std::uint64_t command) const;
  // Whether a person approves a task's result, made by its command with this number.
  [[nodiscard]] bool Approves(const std::string& task, std::uint64_t command) const;

 private:
  [[nodiscard]] std::uint64_t Draw(const std::string& what, std::uint64_t number) const;
  std::uint64_t seed_;
};

}  // namespace agenttalk
