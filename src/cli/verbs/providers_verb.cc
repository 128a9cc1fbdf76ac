#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/text/table.h"
#include "cli/verb.h"
#include "cli/verbs/trust_check.h"
#include "cli/verbs/verbs.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/provider_report.h"
#include "runtime/calls/provider_trial.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr auto kProviderPatience = std::chrono::seconds(5);
constexpr std::size_t kModelsShown = 3;

json::value OrNull(const std::optional<bool>& known) {
  return known ? json::value(*known) : json::value();
}

json::object ToJson(const ProviderTrial& trial) {
  return {{"answers", trial.answers},
          {"seconds", std::chrono::duration<double>(trial.took).count()},
          {"streams", OrNull(trial.streams)},
          {"schema", OrNull(trial.schema)},
          {"tools", OrNull(trial.tools)},
          {"input_tokens", trial.usage.input_tokens},
          {"output_tokens", trial.usage.output_tokens},
          {"cost_usd", trial.cost_usd ? json::value(*trial.cost_usd) : json::value()},
          {"words", json::array(trial.words.begin(), trial.words.end())}};
}

json::object ToJson(const ProviderReport& report) {
  json::object object{{"name", report.name},
                      {"kind", report.kind},
                      {"model", report.model},
                      {"where", report.where},
                      {"key", report.key_source},
                      {"default", report.is_default},
                      {"agents", json::array(report.agents.begin(), report.agents.end())},
                      {"usable", report.usable},
                      {"models", json::array(report.models.begin(), report.models.end())},
                      {"problem", nullptr}};
  object["test"] = report.trial ? json::value(ToJson(*report.trial)) : json::value();
  if (report.problem) {
    object["problem"] = {{"code", ToString(report.problem->code)},
                         {"message", report.problem->message},
                         {"hint", report.problem->hint}};
  }
  return object;
}

std::string ModelsCell(const ProviderReport& report) {
  std::string text;
  for (std::size_t i = 0; i < std::min(report.models.size(), kModelsShown); ++i) {
    text += (i == 0 ? "" : ", ") + report.models[i];
  }
  if (report.models.size() > kModelsShown)
    text += fmt::format(" and {} more", report.models.size() - kModelsShown);
  return text;
}

void ShowTable(const Invocation& call, const std::vector<ProviderReport>& reports) {
  std::vector<std::vector<std::string>> rows = {
      {"name", "kind", "model", "where", "key", "usable", "models"}};
  for (const ProviderReport& report : reports) {
    rows.push_back({report.name + (report.is_default ? " *" : ""), report.kind, report.model, report.where,
                    report.key_source, report.usable ? "yes" : "no", ModelsCell(report)});
  }
  call.console.Out(TableText(rows, call.console.colors_out()));
  for (const ProviderReport& report : reports) {
    if (!report.trial) continue;
    call.console.Out(fmt::format("\n{}:\n", report.name));
    for (const std::string& remark : report.trial->words) call.console.Out(fmt::format("  {}\n", remark));
  }
  for (const ProviderReport& report : reports) {
    if (!report.problem) continue;
    call.console.Err(
        fmt::format("{}: {}\n  {}\n", report.name, report.problem->message, report.problem->hint));
  }
}

Result<ExitCode> Providers(const Invocation& call) {
  const auto hub = TRY(call.Hub());
  const Team team = TRY(LoadTeam(hub));
  TRY(RequireTrust(team, hub));
  ModelAccess access = TRY(ModelAccess::Open(team.config.limits));
  const std::vector<ProviderReport> reports =
      ReportProviders(team, hub, access, kProviderPatience,
                      call.arguments.Has("--test") ? ReportDepth::kTry : ReportDepth::kLook);
  if (call.json) {
    json::array list;
    for (const ProviderReport& report : reports) list.push_back(ToJson(report));
    call.console.Out(CompactJson(list) + "\n");
  } else {
    ShowTable(call, reports);
  }
  const bool all_needed_usable = std::ranges::all_of(reports, [](const ProviderReport& report) {
    return report.usable || (!report.is_default && report.agents.empty());
  });
  return all_needed_usable ? ExitCode::kDone : ExitCode::kEnvironment;
}

}  // namespace

Verb ProvidersVerb() {
  return {.name = "providers",
          .summary = "Lists model providers, whether they work, and their models.",
          .example = "agenttalk providers --json",
          .parameters = {{.name = "--test",
                          .help = "asks those that are used one or two tiny questions and says what works"}},
          .run = Providers};
}

}  // namespace agenttalk
