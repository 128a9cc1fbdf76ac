#pragma once

#include <array>
#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/config/agent_profile.h"
#include "model/config/risk_level.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"

// How an agent means to go about one task: steps in order, made by itself or taken from an SOP
// (docs/formats/internal_plan.md).
namespace agenttalk {

// Enumerator; spelling in plans; the field that names what the step is about; whether a step says its risk.
// The position in this list is the number in the journal: append only.
// clang-format off
#define AGENTTALK_STEP_TYPES(X) \
  X(kExecuteAction, "execute_action", "name", false) \
  X(kUseTool, "use_tool", "name", true) \
  X(kRequestCollaboration, "request_collaboration", "to", false)

#define AGENTTALK_STEP_TYPE_VALUE(value, name, about, risky) value,
enum class StepType : std::uint8_t { AGENTTALK_STEP_TYPES(AGENTTALK_STEP_TYPE_VALUE) };
#undef AGENTTALK_STEP_TYPE_VALUE
// clang-format on

struct StepTypeRow {
  StepType type;
  std::string_view name;
  std::string_view about;
  bool risky;
};

#define AGENTTALK_STEP_TYPE_ROW(value, name, about, risky) StepTypeRow{StepType::value, name, about, risky},
inline constexpr std::array kStepTypeRows = {AGENTTALK_STEP_TYPES(AGENTTALK_STEP_TYPE_ROW)};
#undef AGENTTALK_STEP_TYPE_ROW

// What follows when a step fails. kAlternative: another step takes its place.
enum class OnError : std::uint8_t { kStop, kRetry, kSkip, kAlternative };

std::string_view ToString(StepType type);
// For `agenttalk log`.
const char* EnumName(StepType type);
const char* EnumName(OnError on_error);

struct PlanStep {
  std::string id;
  StepType type = StepType::kExecuteAction;
  std::string name;    // of the action or the tool; of a request the agent that is asked
  std::string params;  // a JSON object's text
  OnError on_error = OnError::kStop;
  std::string alternative;           // the step that takes its place
  RiskLevel risk = RiskLevel::kLow;  // of a tool; high: a person is asked before it runs

  bool operator==(const PlanStep&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("id", self.id), f("type", self.type), f("name", self.name), f("params", self.params);
    f("on_error", self.on_error), f("alternative", self.alternative);
    f("risk", self.risk);
  }
};

struct InternalPlan {
  Strategy strategy = Strategy::kFreeform;
  std::vector<PlanStep> steps;

  // The place of a step; nothing: there is none of this id.
  [[nodiscard]] std::optional<std::size_t> Find(std::string_view id) const;
  // A step that only runs when the one it stands in for has failed.
  [[nodiscard]] bool IsAlternative(std::size_t step) const;

  bool operator==(const InternalPlan&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("strategy", self.strategy), f("steps", self.steps);
  }
};

inline constexpr std::size_t kMostSteps = 64;

// Form alone: ids, types, alternatives that come later, references to earlier steps. Whether the agent may do
// what a step says is checked where agents and tools are known.
Checked<InternalPlan> ReadInternalPlan(const boost::json::value& value);
Checked<InternalPlan> ParseInternalPlan(std::string_view text);
// The steps of an object that has others beside them, e.g. of an SOP, whose parameters they may refer to.
void ReadSteps(ObjectReader& reader, const std::vector<std::string>& parameters, InternalPlan& plan);

boost::json::value ToJson(const InternalPlan& plan);

}  // namespace agenttalk
