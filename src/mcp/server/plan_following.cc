#include "mcp/server/plan_following.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/visible_text.h"
#include "mcp/server/plan_answer.h"
#include "mcp/server/tool.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kLongestQuiet = seconds(15);
// What happens in quick succession is looked at together.
constexpr auto kGather = milliseconds(150);
// Nobody serves the hub at the moment, so that nobody can say when something happens.
constexpr auto kUnservedPause = milliseconds(400);
constexpr int kMostEvents = 50;
constexpr int kMostFailures = 50;
constexpr std::size_t kLongestWords = 200;

// The hub may just be stopping, starting or held by somebody for a moment.
bool MayPass(ErrorCode code) {
  return code == ErrorCode::kIo || code == ErrorCode::kHubLocked || code == ErrorCode::kStateConflict;
}

}  // namespace

PlanFollowing::PlanFollowing(ToolCallPtr call, std::string plan, double wait_s)
    : call_(std::move(call)),
      plan_(std::move(plan)),
      end_(call_->hub().Now() + duration_cast<milliseconds>(std::chrono::duration<double>(wait_s))) {}

std::chrono::steady_clock::duration PlanFollowing::Left() const {
  return end_ - call_->hub().Now();
}

void PlanFollowing::Look() {
  if (call_->exchange().over()) return;
  call_->hub().Call("show", {{"plan_id", plan_}, {"rows", kRows}},
                    [self = shared_from_this()](const Result<json::value>& shown) {
                      if (shown && shown->is_object()) {
                        self->failures_ = 0;
                        return self->Judge(shown->get_object());
                      }
                      const Error error = shown ? Error{} : shown.error();
                      if (!MayPass(error.code) || ++self->failures_ > kMostFailures)
                        return self->call_->Fail(error);
                      self->call_->hub().Later(kUnservedPause, [self] { self->Look(); });
                    });
}

void PlanFollowing::Judge(const json::object& overview) {
  if (call_->exchange().over()) return;
  Report(overview);
  const bool obstructed = call_->hub().Obstacle(plan_).has_value();
  if (IsSettled(overview) || obstructed || Left() <= milliseconds(0)) return Finish(overview);
  Await();
}

void PlanFollowing::Report(const json::object& overview) {
  const double completed = NumberAt(overview, "completed");
  const double total = NumberAt(overview, "total");
  std::string message =
      fmt::format("{}, {:.0f} of {:.0f} tasks completed", TextAt(overview, "state"), completed, total);
  if (!happened_.empty()) message += ": " + happened_;
  if (message == reported_) return;
  reported_ = message;
  call_->exchange().Report(completed, total, message);
}

void PlanFollowing::Await() {
  json::object wish{{"plan_id", plan_}, {"limit", kMostEvents}, {"words", true}};
  if (knows_last_) {
    wish["after"] = last_;
    const auto left = std::min<std::chrono::steady_clock::duration>(Left(), kLongestQuiet);
    wish["wait_s"] = std::max<std::int64_t>(1, duration_cast<seconds>(left).count());
  }
  call_->hub().Call("events", std::move(wish), [self = shared_from_this()](const Result<json::value>& news) {
    HubCalls& hub = self->call_->hub();
    const json::object* object = news ? news->if_object() : nullptr;
    if (object == nullptr) return hub.Later(kUnservedPause, [self] { self->Look(); });
    const bool first = !std::exchange(self->knows_last_, true);
    self->last_ = static_cast<std::uint64_t>(NumberAt(*object, "last"));
    const json::array& events = ListAt(*object, "events");
    if (!events.empty())
      self->happened_ = VisibleLine(Shortened(TextAt(events.back().as_object(), "words"), kLongestWords));
    // Something may have happened between the look and the first question.
    if (first) return self->Look();
    const json::value* waited = object->if_contains("waited");
    const bool served = waited != nullptr && waited->is_bool() && waited->as_bool();
    hub.Later(served || !events.empty() ? kGather : kUnservedPause, [self] { self->Look(); });
  });
}

void PlanFollowing::Finish(const json::object& overview) {
  std::string note;
  if (const auto obstacle = call_->hub().Obstacle(plan_); obstacle && !IsSettled(overview)) {
    note = fmt::format("It cannot be worked on: {}", obstacle->message);
    if (!obstacle->hint.empty()) note += ". " + obstacle->hint;
  }
  if (ListAt(overview, "questions").empty()) return call_->Finish(PlanAnswer(overview, {}, note));
  call_->hub().Call("questions", {}, [call = call_, overview, note](const Result<json::value>& questions) {
    call->Finish(PlanAnswer(overview, questions.value_or(json::value()), note));
  });
}

void AnswerWithPlan(const ToolCallPtr& call, const std::string& plan, double wait_s) {
  std::make_shared<PlanFollowing>(call, plan, wait_s)->Begin();
}

}  // namespace agenttalk::mcp
