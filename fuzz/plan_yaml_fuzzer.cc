// plan.yaml and agenttalk.yaml: whatever comes in, reading ends with a value or with errors that point at a
// line of the text; an accepted plan compiles to a DAG that is valid on its own, an accepted configuration
// survives writing.
#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/config/hub_config_reader.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_dag_reader.h"

namespace agenttalk {
namespace {

void CheckErrors(const Issues& issues, std::string_view text) {
  const auto lines = std::ranges::count(text, '\n') + std::ranges::count(text, '\r') + 1;
  for (const Issue& error : issues.errors) {
    CHECK(!error.message.empty());
    CHECK(error.line >= 0 && error.line <= lines);
  }
}

void CheckPlan(std::string_view text) {
  const auto plan = ParsePlanFile(text);
  CHECK(plan.value.has_value() == plan.issues.ok());
  CheckErrors(plan.issues, text);
  if (!plan) return;
  const auto dag = ParseTaskDag(CanonicalJson(ToJson(plan->dag)));
  CHECK(dag && *dag == plan->dag);
}

void CheckConfig(std::string_view text) {
  const auto config = ParseHubConfig(text);
  CHECK(config.value.has_value() == config.issues.ok());
  CheckErrors(config.issues, text);
  if (!config) return;
  const auto again = ParseHubConfig(CanonicalJson(ToJson(*config)));
  CHECK(again && *again == *config);
}

}  // namespace
}  // namespace agenttalk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  agenttalk::CheckPlan(text);
  agenttalk::CheckConfig(text);
  return 0;
}
