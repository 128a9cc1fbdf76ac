// Internal plans and procedures: reading ends with a plan or with errors that say something; what was read is
// written as something that reads the same; and filling in references never brings in new ones.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/steps/internal_plan.h"
#include "model/steps/sop.h"
#include "model/steps/step_reference.h"

namespace agenttalk {
namespace {

void CheckIssues(const Issues& issues) {
  for (const Issue& error : issues.errors) CHECK(!error.message.empty());
}

void CheckSteps(const InternalPlan& plan) {
  CHECK(!plan.steps.empty() && plan.steps.size() <= kMostSteps);
  for (const PlanStep& step : plan.steps) {
    auto params = ParseJson(step.params);
    CHECK(params && params->is_object());
    CHECK(ReferencesIn(*params));
    if (step.on_error == OnError::kAlternative) CHECK(plan.Find(step.alternative));
    // Filled in with something that looks like a reference, escaped, the text has none left.
    Substitute(
        *params, [](const StepReference&) { return std::optional(ReferredText{"${evil.result}", false}); },
        true);
    const auto left = ReferencesIn(*params);
    CHECK(left && left->empty());
  }
}

void Check(std::string_view text) {
  const auto plan = ParseInternalPlan(text);
  if (plan) {
    CheckSteps(*plan);
    const auto again = ReadInternalPlan(ToJson(*plan));
    CHECK(again && *again == *plan);
  }
  CheckIssues(plan.issues);
  const auto sop = ParseSop(text);
  CheckIssues(sop.issues);
  if (!sop) return;
  const auto again = ReadSop(ToJson(*sop));
  CHECK(again && *again == *sop);
  (void)Matches(*sop, {text, text.substr(0, 20), {}});
  if (const auto made = Instantiate(*sop, text)) CheckSteps(*made);
}

}  // namespace
}  // namespace agenttalk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agenttalk::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
