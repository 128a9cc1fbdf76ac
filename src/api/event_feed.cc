#include "api/event_feed.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "api/hub_service.h"
#include "api/log_query.h"
#include "api/parameters.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/history/log_line.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kPage = 1000;
constexpr std::uint64_t kLongestWait = 60;

struct Wish {
  PlanId plan;  // empty: all
  std::uint64_t after = 0;
  std::uint64_t limit = kPage;
  std::chrono::seconds wait{0};
  bool words = false;
};

Result<Wish> ReadWish(Hub& hub, const json::object& parameters) {
  Wish wish;
  std::string plan = TRY(OptionalText(parameters, "plan_id"));
  if (!plan.empty() && !IsSafeName(plan)) {
    return Fail(ErrorCode::kNameUnsafe, "that cannot be the id of a plan");
  }
  wish.plan = PlanId(std::move(plan));
  wish.after = TRY(OptionalNumber(parameters, "after", hub.core().committed()));
  wish.limit = TRY(OptionalNumber(parameters, "limit", kPage));
  const json::value* words = parameters.if_contains("words");
  wish.words = words != nullptr && words->is_bool() && words->as_bool();
  wish.wait = std::chrono::seconds(std::min(kLongestWait, TRY(OptionalNumber(parameters, "wait_s", 0))));
  return wish;
}

// Whole rows only, so that the next question begins at the next row.
Result<json::object> Collect(Hub& hub, const Wish& wish, bool waited) {
  json::array events;
  std::uint64_t last = wish.after;
  Result<void> decoded;
  const std::uint64_t committed = hub.core().committed();
  TRY(hub.journal().ReadAll(wish.after, [&](const JournalRowView& row) {
    if (row.first_event > committed || events.size() >= wish.limit) return false;
    last = row.first_event + row.event_count - 1;
    const PlanId plan{std::string(row.stream)};
    if (!wish.plan.empty() && plan != wish.plan) return true;
    const PlanState* state = hub.core().FindLoaded(plan);
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
      events.push_back(ShownEvent(hub, OwnerOf(state, event.body), event, wish.words));
    });
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  return json::object{{"events", std::move(events)}, {"last", last}, {"waited", waited}};
}

// One answer that is kept back. Its timer holds it.
class KeptBack : public std::enable_shared_from_this<KeptBack> {
 public:
  KeptBack(Hub& hub, Wish wish, HubService::Done done)
      : hub_(hub), wish_(std::move(wish)), done_(std::move(done)), timer_(hub.loop()) {}

  void Begin() {
    timer_.expires_after(wish_.wait);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->Answer();
    });
    hub_.LookOn(weak_from_this(), [this](const Event& event) {
      const bool wanted = wish_.plan.empty() || event.plan_id == wish_.plan;
      if (done_ && wanted) Soon();
    });
  }

 private:
  // After the events that became durable together with this one.
  void Soon() {
    if (std::exchange(soon_, true)) return;
    timer_.expires_after(std::chrono::milliseconds(1));
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->Answer();
    });
  }

  void Answer() {
    if (!done_) return;
    auto collected = Collect(hub_, wish_, true);
    const HubService::Done done = std::exchange(done_, {});
    if (collected) {
      done(json::value(*std::move(collected)));
    } else {
      done(std::unexpected(std::move(collected).error()));
    }
  }

  Hub& hub_;
  const Wish wish_;
  HubService::Done done_;
  boost::asio::steady_timer timer_;
  bool soon_ = false;
};

}  // namespace

void FollowEvents(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto wish = ReadWish(hub, parameters);
  if (!wish) {
    done(std::unexpected(std::move(wish).error()));
    return;
  }
  auto there = Collect(hub, *wish, false);
  if (!there) {
    done(std::unexpected(std::move(there).error()));
    return;
  }
  const bool waits = there->at("events").as_array().empty() && wish->wait.count() > 0;
  if (!waits || hub.core().reading()) {
    done(json::value(*std::move(there)));
    return;
  }
  // What was looked through need not be looked through again.
  wish->after = std::max(wish->after, there->at("last").to_number<std::uint64_t>());
  std::make_shared<KeptBack>(hub, *std::move(wish), std::move(done))->Begin();
}

}  // namespace agenttalk
