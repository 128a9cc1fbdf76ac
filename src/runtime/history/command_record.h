#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "model/command/brief.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"
#include "runtime/history/event_words.h"

namespace agenttalk {

// The texts of the command; empty ones when they cannot be read.
CommandBrief BriefOf(const CommandHistory& command, const ContentLoader& load);

// What the command's message says, whether or not anybody is sent it.
struct RenderedMessage {
  std::optional<std::string> text;  // none while it is live
  std::vector<std::string> warnings;
};
RenderedMessage RenderMessage(const PlanId& plan, const CommandHistory& command, const TextOfContent& text);

// record_<command_id>.json, which a finished command leaves in its agent's outbox (docs/formats/record.md).
std::string RecordText(const PlanId& plan, const CommandHistory& command, const ContentLoader& load);
std::string RecordName(const CommandId& command);

}  // namespace agenttalk
