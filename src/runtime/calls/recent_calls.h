#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "journal/journal.h"
#include "llm/paced_provider.h"

namespace agenttalk {

// A model call that has ended, as far as a provider's limits go. When it began is not recorded, for calls
// wait their turn after they are intended: at the latest it began when it ended.
struct RecentCall {
  std::optional<std::string> provider;  // as its request names it; missing: asked too long ago to tell
  Timestamp ended;
  std::uint64_t tokens = 0;
};

// The calls that left this process, or one before it, and ended within a minute before `now`, oldest first.
// Only the end of the journal is looked at: what happened in two minutes, however long the journal is.
Result<std::vector<RecentCall>> ReadRecentCalls(Journal& journal, Timestamp now);

// What they take of the limits of a provider; a call whose provider is not known may have been any's.
std::vector<EarlierCall> CallsOf(const std::vector<RecentCall>& calls, Timestamp now,
                                 const std::function<bool(const std::string& provider)>& is_own);

}  // namespace agenttalk
