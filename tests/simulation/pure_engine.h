#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/engine.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"

namespace agenttalk {

// An engine without a node around it. What it decides is kept as a journal would keep it, so that the engine
// can be lost and folded again from its events.
class PureEngine {
 public:
  PureEngine();

  Engine::Decided Feed(Input input);
  // How many rows of the journal the last input has become.
  [[nodiscard]] std::size_t rows() const { return rows_; }
  const PlanState& Plan(const PlanId& plan) { return *engine_->state().FindPlan(plan); }
  // Only the events are left, and with `snapshot` one of the plan; it must be as it was.
  void Crash(const PlanId& plan, bool snapshot);

 private:
  class Sink final : public ContentSink {
   public:
    Content Store(std::string bytes, std::uint64_t row) override;
  };
  class Composer final : public RequestComposer {
   public:
    Result<Composed> Compose(const PlanState& plan, const CommandRecord& record, const AgentSettings& agent,
                             std::uint32_t model_call, const Keep& keep) override;
  };
  struct Row {
    PlanId plan;
    std::uint64_t first = 0;
    std::uint32_t count = 0;
    std::string events;
  };

  Sink sink_;
  Composer composer_;
  std::unique_ptr<Engine> engine_;
  Timestamp now_ = Timestamp(std::chrono::hours(24 * 365 * 50));
  std::vector<Row> journal_;
  std::size_t rows_ = 0;
};

}  // namespace agenttalk
