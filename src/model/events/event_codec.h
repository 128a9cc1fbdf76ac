#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "model/events/event.h"

namespace agenttalk {

// The bytes of one journal row: the time and cause its events share, then the events.
// All of `events` must be of one plan, numbered without gaps and of one time.
std::string EncodeEvents(std::span<const Event> events);

// Calls `visit` for each event of a row, in order. JOURNAL_DAMAGED if the bytes are not what EncodeEvents
// makes; an event type from a newer version is JOURNAL_VERSION.
Result<void> DecodeEvents(const PlanId& plan, std::uint64_t first_number, std::uint32_t count,
                          std::string_view bytes, const std::function<void(const Event&)>& visit);

// The same, added to a list.
Result<void> DecodeEvents(const PlanId& plan, std::uint64_t first_number, std::uint32_t count,
                          std::string_view bytes, std::vector<Event>& events);

// Where each event of a row begins, for DecodeSomeEvents: found by reading all of them once.
Result<std::vector<std::uint32_t>> FindEvents(std::uint64_t first_number, std::uint32_t count,
                                              std::string_view bytes);
// As DecodeEvents, from one event of the row to another.
Result<void> DecodeSomeEvents(const PlanId& plan, std::uint64_t first_number,
                              std::span<const std::uint32_t> places, std::string_view bytes,
                              std::uint64_t from, std::uint64_t until,
                              const std::function<void(const Event&)>& visit);

// Whom an event concerns; empty where it does not say. As EventToJson shows them.
struct EventIds {
  AgentId agent;
  CommandId command;
};
EventIds IdsOf(const EventBody& body);

// {"seq","time","type","plan_id","task_id","command_id","agent_id","caused_by","data"} as `agenttalk log`
// shows it.
boost::json::object EventToJson(const Event& event);

}  // namespace agenttalk
