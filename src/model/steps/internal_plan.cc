#include "model/steps/internal_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/json.h"
#include "model/config/agent_profile.h"
#include "model/config/risk_level.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/parsed_text.h"
#include "model/reading/spelling.h"
#include "model/steps/step_reference.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr auto kTypes = [] {
  Spellings<StepType, kStepTypeRows.size()> spellings;
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    spellings.at(i) = {kStepTypeRows.at(i).name, kStepTypeRows.at(i).type};
  }
  return spellings;
}();
constexpr Spellings<Strategy, 3> kPlanStrategies{
    {{"simple", Strategy::kSimple}, {"template", Strategy::kTemplate}, {"freeform", Strategy::kFreeform}}};
constexpr std::size_t kLargestParams = std::size_t{256} << 10;
// Words that stand where a step's id may stand.
constexpr std::array<std::string_view, 5> kReserved{"stop", "retry", "skip", "command", "parameters"};

std::string_view AboutField(StepType type) {
  return kStepTypeRows.at(static_cast<std::size_t>(type)).about;
}

bool IsReserved(std::string_view id) {
  return std::ranges::find(kReserved, id) != kReserved.end();
}

void ReadOnError(ObjectReader& reader, PlanStep& step) {
  std::string word;
  if (!reader.Name("on_error", word) || word == "stop") return;
  if (word == "retry") {
    step.on_error = OnError::kRetry;
  } else if (word == "skip") {
    step.on_error = OnError::kSkip;
  } else {
    step.on_error = OnError::kAlternative;
    step.alternative = std::move(word);
  }
}

void ReadParams(ObjectReader& reader, PlanStep& step) {
  step.params = "{}";
  const json::value* params = reader.Value("params");
  if (params == nullptr) return;
  if (!params->is_object()) {
    reader.Error("params", ErrorCode::kTypeMismatch,
                 fmt::format("params must be an object, not {}", KindName(*params)));
    return;
  }
  step.params = CanonicalJson(*params);
  if (step.params.size() > kLargestParams)
    reader.Error("params", ErrorCode::kTooLarge, "the params of a step are at most 256 KiB");
}

// What a step may refer to so far.
struct Known {
  const InternalPlan& plan;
  const std::vector<std::string>& parameters;
};

void CheckReference(ObjectReader& reader, const StepReference& reference, const Known& known) {
  const std::string written = fmt::format("${{{}}}", reference.Name());
  if (reference.owner == "command") {
    if (reference.field != "prompt")
      reader.Error("params", ErrorCode::kValueInvalid, written + " stands for nothing",
                   "of the command there is ${command.prompt}");
    return;
  }
  if (reference.owner == "parameters") {
    if (std::ranges::find(known.parameters, reference.field) == known.parameters.end())
      reader.Error("params", ErrorCode::kValueInvalid, written + ": there is no such parameter");
    return;
  }
  if (reference.field != "result") {
    reader.Error("params", ErrorCode::kValueInvalid, written + " stands for nothing",
                 "of a step there is ${step_id.result}");
    return;
  }
  if (!known.plan.Find(reference.owner))
    reader.Error("params", ErrorCode::kValueInvalid, written + " is not the result of an earlier step",
                 "a step may refer to the steps before it");
}

void CheckReferences(ObjectReader& reader, const PlanStep& step, const Known& known) {
  const auto params = ParseJson(step.params);
  if (!params) return;
  const auto references = ReferencesIn(*params);
  if (!references) {
    reader.Error("params", references.error().code, references.error().message, references.error().hint);
    return;
  }
  for (const StepReference& reference : *references) CheckReference(reader, reference, known);
  if (step.type != StepType::kRequestCollaboration) return;
  const json::value* subtask = params->get_object().if_contains("subtask");
  if (subtask == nullptr || !subtask->is_string() || subtask->get_string().empty()) {
    reader.Error("params", ErrorCode::kFieldMissing, "a request must say what is to be done",
                 "give params.subtask a text");
    return;
  }
  // It becomes another agent's task: what a model or a stranger wrote must not get into it unseen.
  const auto inside = ReferencesIn(*subtask);
  if (inside && !inside->empty())
    reader.Error("params", ErrorCode::kValueInvalid, "the subtask may not hold references",
                 "put results into params.context, which the other agent gets as data");
}

void ReadStep(ObjectReader& reader, const std::vector<std::string>& parameters, InternalPlan& plan) {
  PlanStep step;
  if (reader.Name(Field("id").Required(), step.id)) {
    if (IsReserved(step.id))
      reader.Error("id", ErrorCode::kValueInvalid, fmt::format("\"{}\" cannot be a step's id", step.id));
    if (plan.Find(step.id))
      reader.Error("id", ErrorCode::kValueInvalid, fmt::format("there are two steps {}", step.id));
  }
  reader.Choice<StepType>(Field("type").Required(), kTypes, step.type);
  reader.Name(Field(AboutField(step.type)).Required(), step.name);
  ReadParams(reader, step);
  ReadOnError(reader, step);
  reader.Choice<RiskLevel>("risk", kRiskLevels, step.risk);
  CheckReferences(reader, step, {plan, parameters});
  plan.steps.push_back(std::move(step));
}

// An alternative comes later than the step it stands in for, so that no failure can run in a circle.
void CheckAlternatives(ObjectReader& reader, const InternalPlan& plan) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    if (step.on_error != OnError::kAlternative) continue;
    const auto at = plan.Find(step.alternative);
    if (at && *at > i) continue;
    reader.issues().errors.push_back({ErrorCode::kValueInvalid,
                                      fmt::format("{}/{}/on_error", reader.Pointer("steps"), i),
                                      at ? fmt::format("{} does not come after {}", step.alternative, step.id)
                                         : fmt::format("there is no step {}", step.alternative),
                                      "stop, retry, skip, or the id of a later step", 0});
  }
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.IsAlternative(i)) continue;
    const auto params = ParseJson(plan.steps[i].params);
    const auto references = params ? ReferencesIn(*params) : std::vector<StepReference>();
    if (!references) continue;
    for (const StepReference& reference : *references) {
      const auto at = plan.Find(reference.owner);
      if (!at || !plan.IsAlternative(*at)) continue;
      reader.issues().errors.push_back(
          {ErrorCode::kValueInvalid, fmt::format("{}/{}/params", reader.Pointer("steps"), i),
           fmt::format("{} runs only when another step fails", reference.owner),
           "refer to the step it stands in for: its result is the alternative's then", 0});
    }
  }
}

}  // namespace

std::string_view ToString(StepType type) {
  return SpellingOf(kTypes, type);
}
const char* EnumName(StepType type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kStepTypeRows.size() ? kStepTypeRows.at(index).name.data() : "unknown";
}
const char* EnumName(OnError on_error) {
  constexpr std::array kNames{"stop", "retry", "skip", "alternative"};
  const auto index = static_cast<std::size_t>(on_error);
  return index < kNames.size() ? kNames[index] : "unknown";
}

std::optional<std::size_t> InternalPlan::Find(std::string_view id) const {
  const auto found = std::ranges::find(steps, id, &PlanStep::id);
  if (found == steps.end()) return std::nullopt;
  return static_cast<std::size_t>(found - steps.begin());
}

bool InternalPlan::IsAlternative(std::size_t step) const {
  return std::ranges::any_of(steps, [&](const PlanStep& other) {
    return other.on_error == OnError::kAlternative && other.alternative == steps[step].id;
  });
}

void ReadSteps(ObjectReader& reader, const std::vector<std::string>& parameters, InternalPlan& plan) {
  std::size_t seen = 0;
  reader.Objects(Field("steps").Required(), [&](ObjectReader& step) {
    if (++seen <= kMostSteps) {
      ReadStep(step, parameters, plan);
    } else {
      step.AllowOthers();
    }
  });
  if (seen > kMostSteps)
    reader.Error("steps", ErrorCode::kTooLarge, fmt::format("{} steps; {} are allowed", seen, kMostSteps));
  if (seen == 0 && reader.Has("steps") && !reader.Failed("steps"))
    reader.Error("steps", ErrorCode::kFieldMissing, "a plan needs a step");
  CheckAlternatives(reader, plan);
}

Checked<InternalPlan> ReadInternalPlan(const json::value& value) {
  Checked<InternalPlan> checked;
  InternalPlan plan;
  ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    reader.Choice<Strategy>("strategy", kPlanStrategies, plan.strategy);
    ReadSteps(reader, {}, plan);
  });
  if (checked.issues.ok()) checked.value = std::move(plan);
  return checked;
}

Checked<InternalPlan> ParseInternalPlan(std::string_view text) {
  return ReadJsonText<InternalPlan>(text, {},
                                    [](const json::value& value) { return ReadInternalPlan(value); });
}

json::value ToJson(const InternalPlan& plan) {
  json::array steps;
  for (const PlanStep& step : plan.steps) {
    json::object one{{"id", step.id}, {"type", ToString(step.type)}};
    one[AboutField(step.type)] = step.name;
    if (auto params = ParseJson(step.params)) one["params"] = std::move(*params);
    one["on_error"] = step.on_error == OnError::kAlternative ? step.alternative : EnumName(step.on_error);
    if (step.risk != RiskLevel::kLow) one["risk"] = ToString(step.risk);
    steps.push_back(std::move(one));
  }
  return json::object{{"strategy", ToString(plan.strategy)}, {"steps", std::move(steps)}};
}

}  // namespace agenttalk
