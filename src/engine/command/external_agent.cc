#include "engine/command/external_agent.h"

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "base/json.h"
#include "engine/dag/outputs.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/command/command.h"
#include "model/events/content.h"

namespace agenttalk {

namespace json = boost::json;

std::vector<std::string> DeclaredOutputs(const PlanState& plan, const CommandRecord& record) {
  const TaskIndex task = plan.TaskOf(record);
  if (task != DagState::kNone) return OutputNames(plan.dag->Node(task));
  if (!record.on_complete || record.on_complete->output_name.empty()) return {};
  return {record.on_complete->output_name};
}

Content StoreDelivery(Step& step, PlanState& plan, const CommandRecord& record) {
  // A retry is asked for the same.
  if (record.delivered) return *record.delivered;
  const auto body = step.composer().Read(record.body);
  if (!body) return record.body;
  auto parsed = ParseJson(*body);
  if (!parsed || !parsed->is_object()) return record.body;
  json::object& command = parsed->get_object();
  json::array outputs;
  for (const std::string& name : DeclaredOutputs(plan, record)) outputs.emplace_back(name);
  command["outputs"] = std::move(outputs);
  if (command.contains("payload_hash")) command["payload_hash"] = PayloadHash(command).Hex();
  return step.Store(plan, PrettyJson(command));
}

}  // namespace agenttalk
