#pragma once

#include <cstdint>
#include <string>

#include "model/content/plan_tags.h"

// What happens to a plan as a whole.
namespace agenttalk {

enum class PlanChange : std::uint8_t { kOpened, kPaused, kResumed, kCancelled, kCompleted, kReopened };

struct PlanChanged {
  PlanChange change = PlanChange::kOpened;
  std::string reason;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("change", self.change), f("reason", self.reason);
  }
};

// A control request was carried out; the same client id again is answered, not done twice.
struct ControlAccepted {
  std::string client_id;
  std::string verb;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("client_id", self.client_id), f("verb", self.verb);
  }
};

// In a plan's stream it raises the plan's budget, in the hub's own the hub's.
struct BudgetRaised {
  std::uint64_t tokens = 0;
  std::uint64_t micro_usd = 0;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("tokens", self.tokens), f("micro_usd", self.micro_usd);
  }
};

// The tags of a plan, all of them, from now on.
struct PlanTagged {
  PlanTags tags;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("tags", self.tags);
  }
};

}  // namespace agenttalk
