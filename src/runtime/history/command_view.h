#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/content/cost.h"
#include "model/content/named_content.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"
#include "runtime/history/event_words.h"

// A command's history as `show --json` prints it (docs/formats/show.md): every text in full, but for secrets.
namespace agenttalk {

// Texts behind contents, without secrets. What cannot be read is an empty text.
TextOfContent TextsOf(const ContentLoader& load);

Result<boost::json::object> CommandViewJson(const PlanId& plan, const CommandHistory& command,
                                            const ContentLoader& load);
boost::json::object DecisionJson(const DecisionHistory& decision, const TextOfContent& text);

// Parts that `trace` and records share with it.
boost::json::value TimeOrNull(Timestamp time);
boost::json::value ElapsedOrNull(Timestamp from, Timestamp to);
boost::json::object TokensJson(const Cost& cost);
boost::json::object FileJson(const NamedContent& file);
boost::json::value ErrorJson(const std::optional<ErrorCode>& code, const std::string& message);

}  // namespace agenttalk
