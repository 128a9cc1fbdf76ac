#include "engine/command/external_agent.h"

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "base/json.h"
#include "engine/command/brief_reading.h"
#include "engine/command/owner.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"

namespace agenttalk {

namespace json = boost::json;

std::optional<AnswerContract> ExternalContract(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                               const AgentSettings& agent) {
  const auto brief = ReadBrief(turn, record);
  if (!brief) return std::nullopt;
  AnswerContract contract = OwnerOf(turn, record).Contract(plan, record, *brief, agent);
  contract.form = Stage::kCommand;
  contract.tools_allowed = false;
  contract.commands_allowed = false;
  return contract;
}

Content StoreDelivery(Turn& turn, const PlanState& plan, const CommandRecord& record,
                      const std::optional<AnswerContract>& contract) {
  // A retry is asked for the same.
  if (record.delivered) return *record.delivered;
  const auto body = turn.composer().Read(record.body);
  if (!body) return record.body;
  auto parsed = ParseJson(*body);
  if (!parsed || !parsed->is_object()) return record.body;
  json::object& command = parsed->get_object();
  json::array outputs;
  if (contract) {
    for (const std::string& name : contract->outputs) outputs.emplace_back(name);
  }
  command["outputs"] = std::move(outputs);
  if (command.contains("payload_hash")) command["payload_hash"] = PayloadHash(command).Hex();
  return turn.Store(plan, PrettyJson(command));
}

}  // namespace agenttalk
