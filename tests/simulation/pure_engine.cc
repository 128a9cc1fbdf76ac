#include "simulation/pure_engine.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "engine/engine.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"

namespace agenttalk {

Content PureEngine::Sink::Store(std::string bytes, std::uint64_t row) {
  return {Sha256(bytes), bytes.size(), row};
}

Result<RequestComposer::Composed> PureEngine::Composer::Compose(const PlanState& /*plan*/,
                                                                const CommandRecord& record,
                                                                const AgentSettings& /*agent*/,
                                                                std::uint32_t model_call,
                                                                const Keep& /*keep*/) {
  const std::string text = record.id.str() + std::to_string(model_call);
  return Composed{text, Sha256(text), Cost{1, 1, 1}};
}

PureEngine::PureEngine() : engine_(std::make_unique<Engine>(sink_, composer_)) {}

Engine::Decided PureEngine::Feed(Input input) {
  now_ += std::chrono::milliseconds(1);
  Engine::Decided decided = engine_->Handle(std::move(input), now_);
  rows_ = 0;
  for (std::size_t begin = 0; begin < decided.events.size();) {
    std::size_t end = begin + 1;
    while (end < decided.events.size() && decided.events[end].plan_id == decided.events[begin].plan_id) ++end;
    const auto run = std::span(decided.events).subspan(begin, end - begin);
    journal_.push_back(
        {run.front().plan_id, run.front().number, static_cast<std::uint32_t>(run.size()), EncodeEvents(run)});
    ++rows_;
    begin = end;
  }
  return decided;
}

void PureEngine::Crash(const PlanId& plan, bool snapshot) {
  const std::string before = EncodePlan(Plan(plan));
  const std::uint64_t last = Plan(plan).last_event;
  auto next = std::make_unique<Engine>(sink_, composer_);
  for (const Row& row : journal_) {
    if (snapshot && !row.plan.empty()) continue;
    CHECK(DecodeEvents(row.plan, row.first, row.count, row.events, [&](const Event& event) {
            next->Replay(event);
          }).has_value());
  }
  if (snapshot) {
    PlanState loaded;
    loaded.id = plan;
    CHECK(DecodePlan(before, loaded));
    loaded.last_event = last;
    next->Load(std::move(loaded));
    next->ContinueAfter(engine_->state().last_event, engine_->state().now);
  }
  engine_ = std::move(next);
  CHECK(EncodePlan(Plan(plan)) == before);
}

}  // namespace agenttalk
