#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "cli/exit_code.h"
#include "cli/verb.h"
#include "cli/verbs/hub_template.h"
#include "cli/verbs/verbs.h"
#include "runtime/hub_trust.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

constexpr const char* kDefaultTemplate = "blank";

std::string ForPrograms(const std::string& hub, const std::string& template_name,
                        const std::vector<std::string>& files) {
  const boost::json::object object{
      {"hub", hub}, {"template", template_name}, {"files", boost::json::array(files.begin(), files.end())}};
  return CompactJson(object) + "\n";
}

// What to type now: a template that comes with a plan and answers runs as it is.
std::string NextStep(const std::filesystem::path& directory, const std::vector<std::string>& files) {
  const std::string go = directory == "." ? std::string() : fmt::format("cd {} && ", directory.string());
  const bool has_plan =
      std::ranges::any_of(files, [](const std::string& file) { return file == "plan.yaml"; });
  if (has_plan) return fmt::format("next: {}agenttalk run plan.yaml\n", go);
  return fmt::format("next: {}agenttalk providers, then agenttalk run \"what you want done\"\n", go);
}

Result<ExitCode> Init(const Invocation& call) {
  const std::string named = call.arguments.Get(call.arguments.Has("DIR") ? "DIR" : "--hub");
  const std::filesystem::path directory = named.empty() ? "." : named;
  const std::string template_name =
      call.arguments.Has("--template") ? call.arguments.Get("--template") : kDefaultTemplate;
  const auto files = TRY(MakeHub(directory, template_name));
  // What the program itself wrote needs no question.
  if (const auto team = LoadTeam(directory)) {
    const std::vector<TrustNeed> needs = NeedsOf(team->config, directory);
    if (!needs.empty()) (void)RecordTrust(directory, needs);
  }
  if (call.json) {
    call.console.Out(ForPrograms(directory.string(), template_name, files));
    return ExitCode::kDone;
  }
  call.console.Out(fmt::format("created a hub in {}\n", directory.string()));
  for (const std::string& file : files) call.console.Out(fmt::format("  {}\n", file));
  call.console.Out(NextStep(directory, files));
  return ExitCode::kDone;
}

}  // namespace

Verb InitVerb() {
  return {.name = "init",
          .summary = "Creates a hub: a directory with a team of agents and their plans.",
          .example = "agenttalk init my-team --template report",
          .parameters = {{.name = "DIR",
                          .takes = Takes::kOptional,
                          .help = "where (default: here)",
                          .completes = Completes::kDirectory},
                         {.name = "--template",
                          .takes = Takes::kValue,
                          .help = "what to start from (default: blank)",
                          .value = "T",
                          .choices = TemplateNames()}},
          .run = Init};
}

}  // namespace agenttalk
