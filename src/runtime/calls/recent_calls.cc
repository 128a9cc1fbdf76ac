#include "runtime/calls/recent_calls.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "journal/journal.h"
#include "llm/paced_provider.h"
#include "llm/pacer.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/stored_request.h"

namespace agenttalk {
namespace {

// A call's request is looked for in this time too, to see whom it asked.
constexpr Duration kLookedThrough = 2 * Pacer::kWindow;
constexpr std::uint64_t kFirstLook = 1024;
constexpr std::uint64_t kMostLookedThrough = std::uint64_t{1} << 20;

Result<void> VisitEvents(const JournalRowView& row, const std::function<void(const Event&)>& visit) {
  return DecodeEvents(PlanId(std::string(row.stream)), row.first_event, row.event_count, row.events, visit);
}

// The time of the first row behind an event; nothing when there is none.
Result<std::optional<Timestamp>> TimeBehind(Journal& journal, std::uint64_t event) {
  std::optional<Timestamp> time;
  Result<void> decoded;
  TRY(journal.ReadAll(event, [&](const JournalRowView& row) {
    decoded = VisitEvents(row, [&](const Event& first) { time = first.time; });
    return false;
  }));
  TRY(std::move(decoded));
  return time;
}

// An event that happened before `since`, not much earlier than the last such one; 0: all happened later. The
// time of events never decreases, so looking back in growing strides finds it.
Result<std::uint64_t> EventBefore(Journal& journal, Timestamp since) {
  const std::uint64_t last = TRY(journal.LastEvent());
  for (std::uint64_t stride = kFirstLook; stride < last; stride *= 4) {
    const std::uint64_t event = last - stride;
    if (stride >= kMostLookedThrough) return event;
    const auto time = TRY(TimeBehind(journal, event));
    if (!time || *time < since) return event;
  }
  return 0;
}

class CallFinder {
 public:
  CallFinder(Journal& journal, Timestamp now) : journal_(journal), now_(now) {}

  Result<std::vector<RecentCall>> Find() {
    const std::uint64_t after = TRY(EventBefore(journal_, now_ - kLookedThrough));
    Result<void> decoded;
    TRY(journal_.ReadAll(after, [&](const JournalRowView& row) {
      decoded = VisitEvents(row, [&](const Event& event) { See(event); });
      return decoded.has_value();
    }));
    TRY(std::move(decoded));
    for (auto& [call, intent] : ended_) {
      if (intent) call.provider = TRY(ProviderOf(intent->request));
    }
    std::vector<RecentCall> calls;
    for (auto& entry : ended_) calls.push_back(std::move(entry.first));
    return calls;
  }

 private:
  using Key = std::tuple<PlanId, CommandId, std::uint32_t>;
  struct Intent {
    Content request;
    std::uint64_t tokens = 0;
  };

  void See(const Event& event) {
    if (const auto* intended = std::get_if<ModelCallIntended>(&event.body)) {
      open_[{event.plan_id, intended->command_id, intended->call}] = {
          intended->request, intended->reserved.input_tokens + intended->reserved.output_tokens};
    } else if (const auto* finished = std::get_if<ModelCallFinished>(&event.body)) {
      auto intent = open_.extract({event.plan_id, finished->command_id, finished->call});
      // A script's answer never left the process.
      if (finished->script_entry >= 0) return;
      const std::uint64_t tokens = finished->cost.input_tokens + finished->cost.output_tokens;
      End(event.time, tokens,
          intent.empty() ? std::nullopt : std::optional<Intent>(std::move(intent.mapped())));
    } else if (const auto* failed = std::get_if<AttemptFailed>(&event.body)) {
      Abandon(event, failed->command_id);
    } else if (const auto* ended = std::get_if<CommandEnded>(&event.body)) {
      Abandon(event, ended->command_id);
    }
  }

  // What a command had asked when its time was over or it was cancelled has no end of its own.
  void Abandon(const Event& event, const CommandId& command) {
    auto next = open_.lower_bound({event.plan_id, command, 0});
    while (next != open_.end() && std::get<0>(next->first) == event.plan_id &&
           std::get<1>(next->first) == command) {
      End(event.time, 0, std::move(next->second));
      next = open_.erase(next);
    }
  }

  void End(Timestamp time, std::uint64_t tokens, std::optional<Intent> intent) {
    if (time + Pacer::kWindow <= now_) return;
    if (tokens == 0 && intent) tokens = intent->tokens;
    ended_.emplace_back(RecentCall{{}, time, tokens}, std::move(intent));
  }

  Result<std::string> ProviderOf(const Content& request) {
    return TRY(DecodeRequest(TRY(journal_.ReadContent(request)))).provider;
  }

  Journal& journal_;
  const Timestamp now_;
  std::map<Key, Intent> open_;
  std::vector<std::pair<RecentCall, std::optional<Intent>>> ended_;
};

}  // namespace

Result<std::vector<RecentCall>> ReadRecentCalls(Journal& journal, Timestamp now) {
  return CallFinder(journal, now).Find();
}

std::vector<EarlierCall> CallsOf(const std::vector<RecentCall>& calls, Timestamp now,
                                 const std::function<bool(const std::string& provider)>& is_own) {
  std::vector<EarlierCall> own;
  for (const RecentCall& call : calls) {
    if (call.provider && !is_own(*call.provider)) continue;
    // The engine's time may be ahead of a clock that was set back.
    own.push_back({std::max(Duration{}, now - call.ended), call.tokens});
  }
  return own;
}

}  // namespace agenttalk
