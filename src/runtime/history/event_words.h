#pragma once

#include <functional>
#include <string>

#include "model/content/content.h"
#include "model/events/event.h"

namespace agenttalk {

// The text of a content, for events that name one; empty when it cannot be read.
using TextOfContent = std::function<std::string(const Content&)>;

// What happened, in words and on one line, as `log` and `trace` show it: "asked the model (call 1)". Whom it
// is about is said by the ids beside it.
std::string EventWords(const Event& event, const TextOfContent& text);

// How much an event should worry whoever reads a log.
enum class LogLevel : std::uint8_t { kInfo, kWarning, kError };
LogLevel LevelOf(const EventBody& body);
const char* ToString(LogLevel level);

// Names all that happened in a plan, in the form that tracing systems use: 32 hexadecimal digits, made from
// the plan's id.
std::string TraceIdOf(const PlanId& plan);

}  // namespace agenttalk
