#include "api/page/stream.h"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/ids.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr auto kGather = std::chrono::milliseconds(100);
constexpr std::size_t kMostItems = 200;
constexpr std::size_t kMostPlans = 500;  // named in one frame; of more, any may have changed

template <typename Body>
std::string_view CommandOf(const Body& body) {
  if constexpr (requires { body.command_id; }) return body.command_id.str();
  if constexpr (std::is_same_v<Body, CommandReceived>) return body.command.command_id.str();
  return {};
}

template <typename Body>
std::string_view TaskOf(const Body& body) {
  if constexpr (requires { body.task_id; }) return body.task_id.str();
  return {};
}

// [number, type, plan, task, command]: enough to say what is going on; the rest is asked for.
std::string ItemOf(const Event& event) {
  return std::visit(
      [&](const auto& body) {
        return json::serialize(json::array{event.number, EventName(event.body), event.plan_id.str(),
                                           TaskOf(body), CommandOf(body)});
      },
      event.body);
}

std::string Frame(std::uint64_t last, std::string_view plans, std::string_view items, std::size_t skipped,
                  bool asks) {
  return fmt::format(
      "id: {}\ndata: {{\"last\":{},\"plans\":{},\"events\":[{}],\"skipped\":{},\"asks\":{}}}\n\n", last, last,
      plans, items, skipped, asks);
}

bool IsAboutQuestion(const Event& event) {
  return std::holds_alternative<QuestionAsked>(event.body) ||
         std::holds_alternative<QuestionClosed>(event.body);
}

}  // namespace

EventFrames::EventFrames(Hub& hub) : hub_(hub), timer_(hub.loop()) {}

void EventFrames::Begin() {
  hub_.LookOn(weak_from_this(), [this](const Event& event) { Note(event); });
}

void EventFrames::Join(const std::weak_ptr<const void>& owner, Send send) {
  listeners_.push_back({owner, std::move(send)});
}

std::shared_ptr<const std::string> EventFrames::Catch(std::uint64_t seen) const {
  if (seen == 0 || seen < hub_.core().committed()) return CatchUp();
  return std::make_shared<const std::string>(Frame(hub_.core().committed(), "[]", "", 0, false));
}

std::shared_ptr<const std::string> EventFrames::CatchUp() const {
  return std::make_shared<const std::string>(Frame(hub_.core().committed(), "null", "", 0, true));
}

void EventFrames::Note(const Event& event) {
  if (listeners_.empty()) return;
  if (plans_.size() <= kMostPlans && (plans_.empty() || *plans_.begin() != event.plan_id))
    plans_.insert(event.plan_id);
  asks_ = asks_ || IsAboutQuestion(event);
  if (item_count_ < kMostItems) {
    if (item_count_++ > 0) items_ += ',';
    items_ += ItemOf(event);
  } else {
    ++skipped_;
  }
  if (std::exchange(gathering_, true)) return;
  timer_.expires_after(kGather);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->SendFrame();
  });
}

void EventFrames::SendFrame() {
  gathering_ = false;
  json::array plans;
  for (const PlanId& plan : plans_) plans.emplace_back(plan.str());
  const bool too_many = plans_.size() > kMostPlans;
  const auto frame = std::make_shared<const std::string>(
      Frame(hub_.core().committed(), too_many ? "null" : json::serialize(plans), items_, skipped_, asks_));
  asks_ = false;
  plans_.clear();
  items_.clear();
  item_count_ = skipped_ = 0;
  std::erase_if(listeners_, [](const Listener& listener) { return listener.owner.expired(); });
  for (const Listener& listener : listeners_) listener.send(frame);
}

}  // namespace agenttalk
