#include "cli/live/event_follower.h"

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include "base/error.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// How often the journal of a hub that nobody serves is looked at.
constexpr auto kUnservedPause = std::chrono::milliseconds(500);

}  // namespace

Result<void> EventFollower::Begin() {
  if (after_) return {};
  const json::value end = TRY(client_.Call("events", {{"plan_id", plan_}, {"limit", 0}}));
  after_ = end.at("last").to_number<std::uint64_t>();
  return {};
}

Result<json::array> EventFollower::Next(std::chrono::seconds longest) {
  TRY(Begin());
  json::value answer = TRY(client_.Call(
      "events", {{"plan_id", plan_}, {"after", *after_}, {"wait_s", longest.count()}, {"words", words_}}));
  after_ = answer.at("last").to_number<std::uint64_t>();
  json::array events = std::move(answer.at("events").as_array());
  if (events.empty() && !answer.at("waited").as_bool()) std::this_thread::sleep_for(kUnservedPause);
  return events;
}

}  // namespace agenttalk
