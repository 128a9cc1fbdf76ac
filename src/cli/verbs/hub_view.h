#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/ids.h"
#include "model/command/reading.h"
#include "model/config/hub_config.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

// A hub as its files show it, for checks that need no running engine. Everything is read when it is first
// asked for; a configuration or DAG that is broken is treated as unknown, because the check of that very file
// says so.
class HubView {
 public:
  explicit HubView(std::filesystem::path hub) : hub_(std::move(hub)) {}

  // The team, or null when the configuration cannot be read.
  const std::set<AgentId>* Agents();
  // What agenttalk.yaml alone says of the agent.
  AgentProfile ConfiguredProfile(const AgentId& agent);
  // The checks that commands need; the returned functions refer to this object.
  CommandContext ForCommands();

 private:
  struct PlanDag {
    TaskDag dag;
    DagRef ref;
  };
  const HubConfig* Config();
  const PlanDag* Dag(const PlanId& plan);
  std::int64_t NextSeq(const PlanId& plan, const TaskId& task) const;

  std::filesystem::path hub_;
  bool config_read_ = false;
  std::optional<HubConfig> config_;
  std::optional<std::set<AgentId>> agents_;
  std::map<PlanId, std::optional<PlanDag>> dags_;
};

}  // namespace agenttalk
