#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/stored_request.h"

namespace agenttalk {

// Every content that an event names, and those that the requests among them name in turn.
Result<void> ForEachNamed(const ContentLoader& load, const Event& event,
                          const std::function<void(const Content&)>& visit);

// What goes with these plans: their rows, but for contents that another plan or the hub names, and the
// contents of their own that nobody else names. Events up to `through` count; those after it can name nothing
// else, because the caller has made the plans unreachable before (Core::WatchForRemoval).
//
// The plans are removed in this order, `in_a_commit` at a time: whatever a plan names is there until it is
// removed itself, also when the removal is interrupted. Newest first is best: contents are in the rows of the
// plan that stored them first, and named by later ones.
//
// Reads the whole journal, on any thread. `stop` ends it with STATE_CONFLICT.
Result<std::vector<Removal>> FindGarbage(Journal& journal, const std::vector<PlanId>& plans,
                                         std::size_t in_a_commit, std::uint64_t through,
                                         const std::atomic<bool>& stop);

}  // namespace agenttalk
