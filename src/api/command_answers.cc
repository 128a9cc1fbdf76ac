#include "api/command_answers.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <utility>

#include "api/hub_service.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/json.h"
#include "engine/state/plan_state.h"
#include "model/content/content.h"
#include "runtime/history/command_history.h"
#include "runtime/history/command_record.h"
#include "runtime/history/command_view.h"
#include "runtime/history/history_reader.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

Result<void> AddRecord(Hub& hub, const PlanId& plan_id, const CommandId& command, json::object& answer) {
  const PlanState* plan = TRY(hub.core().LookUp(plan_id));
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(command);
  if (record == nullptr) return {};
  answer["state"] = EnumName(record->state);
  answer["record"] = nullptr;
  const auto history = TRY(ReadEndedCommand(hub.journal(), plan_id, command, plan->trails.Of(record->index)));
  if (!history) return {};
  answer["record"] = TRY(ParseJson(RecordText(plan_id, *history, LoadFrom(hub.journal())),
                                   {.max_bytes = std::size_t{64} << 20}));
  return {};
}

}  // namespace

HubService::Done WithRecord(Hub& hub, PlanId plan, CommandId command, HubService::Done done) {
  return [&hub, plan = std::move(plan), command = std::move(command),
          done = std::move(done)](Result<json::value> result) {
    if (result && result->at("status") == "duplicate") {
      if (auto added = AddRecord(hub, plan, command, result->as_object()); !added) {
        done(std::unexpected(std::move(added).error()));
        return;
      }
    }
    done(std::move(result));
  };
}

void AddCommandHistory(Hub& hub, const PlanState& plan, const CommandId& command, json::object& letter) {
  letter["last_answer"] = nullptr;
  letter["show"] = nullptr;
  const CommandRecord* record = command.empty() ? nullptr : plan.Find(command);
  if (record == nullptr) return;
  letter["show"] = fmt::format("agenttalk show {} {}", plan.id.str(), command.str());
  const auto history =
      ReadHistory(hub.journal(), plan.id, plan.trails.Of(record->index), hub.core().committed());
  const CommandHistory* found = history ? history->Find(command) : nullptr;
  if (found == nullptr) return;
  const ContentLoader load = [&hub](const Content& content) { return hub.core().contents().Load(content); };
  for (const AttemptHistory& attempt : found->attempts) {
    for (const CallHistory& call : attempt.calls) {
      if (call.is_model && !call.answer.empty()) letter["last_answer"] = TextsOf(load)(call.answer);
    }
  }
}

}  // namespace agenttalk
