#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "simulation/chance.h"

namespace agenttalk {

// A random DAG with every policy, gates, scores, conditions and fallbacks. It is valid and complete.
TaskDag RandomDag(Chance& chance, std::uint32_t tasks, const std::vector<AgentId>& agents,
                  const PlanId& plan = PlanId("plan_random"));

// What models and people say in one run, by the task and by how often it was asked, so that the end does not
// depend on the order of answers.
class Fate {
 public:
  virtual ~Fate() = default;
  // The answer to a task's command with this number: a score; nothing: it fails for good.
  [[nodiscard]] virtual std::optional<double> Answer(const std::string& task,
                                                     std::uint64_t command) const = 0;
  // What a person says of a task's result, made by its command with this number; kNone: nothing.
  [[nodiscard]] virtual Decision Approval(const std::string& task, std::uint64_t command) const = 0;
};

class SeededFate final : public Fate {
 public:
  explicit SeededFate(std::uint64_t seed) : seed_(seed) {}

  [[nodiscard]] std::optional<double> Answer(const std::string& task, std::uint64_t command) const override;
  [[nodiscard]] Decision Approval(const std::string& task, std::uint64_t command) const override;

 private:
  [[nodiscard]] std::uint64_t Draw(const std::string& what, std::uint64_t number) const;
  std::uint64_t seed_;
};

}  // namespace agenttalk
