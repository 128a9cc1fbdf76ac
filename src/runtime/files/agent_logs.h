#pragma once

#include <string_view>

#include "model/events/event.h"

namespace agenttalk {

// Which log of its agent an event belongs to; empty: none.
std::string_view AgentLogOf(const EventBody& body);

}  // namespace agenttalk
