#include "cli/verbs/hub_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/ids.h"
#include "cli/hub_location.h"
#include "cli/text_file.h"
#include "model/command/command.h"
#include "model/command/reading.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_reader.h"
#include "model/config/human_agent.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_dag_reader.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// Calls `visit` with every entry's name; a folder that is not there has none.
template <typename Visit>
void ForEachName(const fs::path& folder, const Visit& visit) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    visit(at->path().filename().string());
  }
}

}  // namespace

const HubConfig* HubView::Config() {
  if (!config_read_) {
    config_read_ = true;
    const auto text = ReadTextFile((hub_ / kHubFile).string(), kMebibyte);
    if (text) config_ = ParseHubConfig(*text).value;
  }
  return config_ ? &*config_ : nullptr;
}

const std::set<AgentId>* HubView::Agents() {
  if (agents_) return &*agents_;
  const HubConfig* config = Config();
  if (config == nullptr) return nullptr;
  agents_.emplace();
  for (const auto& [id, profile] : config->agents) agents_->insert(id);
  ForEachName(hub_ / "agents", [&](const std::string& name) {
    std::error_code ignored;
    const bool has_profile = fs::is_regular_file(hub_ / "agents" / name / "agent_profile.json", ignored);
    if (has_profile && IsSafeName(name)) agents_->insert(AgentId(name));
  });
  return &*agents_;
}

AgentProfile HubView::ConfiguredProfile(const AgentId& agent) {
  const HubConfig* config = Config();
  if (config != nullptr && config->agents.contains(agent)) return config->agents.at(agent);
  AgentProfile profile;
  profile.agent_id = agent;
  return profile;
}

const HubView::PlanDag* HubView::Dag(const PlanId& plan) {
  auto [found, is_new] = dags_.try_emplace(plan);
  if (is_new && IsSafeName(plan.str())) {
    const auto text = ReadTextFile((hub_ / "plans" / plan.str() / "task_dag.json").string(), kMaxPlanBytes);
    if (text) {
      if (auto dag = ParseTaskDag(*text).value) {
        found->second = PlanDag{*std::move(dag), DagRef{.sha256 = Sha256(*text), .revision = std::nullopt}};
      }
    }
  }
  return found->second ? &*found->second : nullptr;
}

// The commands of a plan lie in the inboxes of its agents, the taken ones in .processed.
std::int64_t HubView::NextSeq(const PlanId& plan, const TaskId& task) const {
  std::int64_t last = 0;
  const auto look = [&](const std::string& name) {
    if (!name.ends_with(".json")) return;
    const auto parts = SplitCommandId(name.substr(0, name.size() - 5));
    if (parts && parts->task == task.str()) last = std::max(last, parts->seq);
  };
  ForEachName(hub_ / "agents", [&](const std::string& agent) {
    const fs::path inbox = hub_ / "agents" / agent / "inbox";
    ForEachName(inbox / plan.str(), look);
    ForEachName(inbox / ".processed" / plan.str(), look);
  });
  return last + 1;
}

CommandContext HubView::ForCommands() {
  CommandContext context;
  if (Agents() != nullptr) {
    context.agent_known = [this](const AgentId& agent) {
      return agent.str() == kHuman || Agents()->contains(agent);
    };
  }
  context.task_known = [this](const PlanId& plan, const TaskId& task) {
    const PlanDag* known = Dag(plan);
    return known != nullptr &&
           std::ranges::find(known->dag.nodes, task, &TaskNode::task_id) != known->dag.nodes.end();
  };
  context.dag_accepts = [this](const PlanId& plan, const TaskId&, const DagRef& ref) {
    const PlanDag* known = Dag(plan);
    return known != nullptr && known->ref.sha256 == ref.sha256;
  };
  context.plan_has_dag = [this](const PlanId& plan) -> std::optional<bool> {
    std::error_code ignored;
    if (!IsSafeName(plan.str()) || !fs::is_directory(hub_ / "plans" / plan.str(), ignored))
      return std::nullopt;
    return Dag(plan) != nullptr;
  };
  context.current_dag = [this](const PlanId& plan) -> std::optional<DagRef> {
    const PlanDag* known = Dag(plan);
    if (known == nullptr) return std::nullopt;
    return known->ref;
  };
  context.next_seq = [this](const PlanId& plan, const TaskId& task) { return NextSeq(plan, task); };
  return context;
}

}  // namespace agenttalk
