#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/language.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/config/agent_profile.h"
#include "model/events/event.h"
#include "model/steps/sop.h"

// What a program can put in the place of the standard parts of the cycle: how a strategy is chosen, and which
// actions there are.
namespace agenttalk {

// A task as the choice of a strategy sees it.
struct TaskFacts {
  std::string_view prompt;
  std::string_view task;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  const AgentSettings* agent = nullptr;
  std::span<const Sop> sops;  // that match, and whose steps the agent may take
  Language language = Language::kEnglish;
};

struct StrategyDecision {
  Strategy strategy = Strategy::kSimple;
  std::string reason;
  const Sop* sop = nullptr;
};

class StrategyPolicy {
 public:
  virtual ~StrategyPolicy() = default;
  // Nothing: rules do not decide, the model is asked. Called for agents whose strategy is not `simple`.
  [[nodiscard]] virtual std::optional<StrategyDecision> Choose(const TaskFacts& facts) const = 0;
};

// The profile's strategy; for `auto` rules: a procedure that matches is followed, a short task with one
// result is simple, and between them the model decides.
class RulesThenModel final : public StrategyPolicy {
 public:
  [[nodiscard]] std::optional<StrategyDecision> Choose(const TaskFacts& facts) const override;
};

// One run of an action. It may read the state and emit events through the step.
struct ActionCall {
  Turn& turn;
  const PlanState& plan;
  const CommandRecord& record;
  const boost::json::object& params;  // references are filled in
};

struct ActionResult {
  std::string result;
  bool result_is_json = false;
  std::vector<NamedContent> outputs = {};
  bool pending = false;  // the outcome comes later, as an input
  bool ended = false;    // the command has ended with it
};

// Adding one means registering one, nothing else.
struct Action {
  std::string name;
  std::string description;            // for the model that makes a plan: what it does, and its params
  std::string permission;             // that the agent needs; empty: none
  std::vector<std::string> required;  // params that must be there
  std::function<Result<ActionResult>(const ActionCall&)> run;
};

class ActionRegistry {
 public:
  ActionRegistry();  // with those that are built in

  // A second action of a name replaces the first.
  void Add(Action action);
  [[nodiscard]] const Action* Find(std::string_view name) const;
  [[nodiscard]] const std::map<std::string, Action, std::less<>>& all() const { return actions_; }

 private:
  std::map<std::string, Action, std::less<>> actions_;
};

struct RoleParts {
  std::unique_ptr<StrategyPolicy> policy = std::make_unique<RulesThenModel>();
  ActionRegistry actions;
};

const RoleParts& DefaultRole();

}  // namespace agenttalk
