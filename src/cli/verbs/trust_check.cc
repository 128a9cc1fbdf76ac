#include "cli/verbs/trust_check.h"

#include <fmt/format.h>

#include <expected>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/redact.h"
#include "cli/console.h"
#include "cli/live/terminal.h"
#include "cli/verb.h"
#include "runtime/calls/provider_choice.h"
#include "runtime/hub_trust.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> Claims(const std::vector<TrustNeed>& needs, const std::vector<PlanId>& foreign) {
  std::vector<std::string> claims;
  for (const TrustNeed& need : needs) claims.push_back(Redact(Describe(need)));
  for (const PlanId& plan : foreign)
    claims.push_back(fmt::format("{} was begun elsewhere and would be resumed here", plan.str()));
  return claims;
}

std::unexpected<Error> Untrusted(const fs::path& hub, const std::vector<std::string>& claims) {
  return Fail(ErrorCode::kPermissionDenied,
              fmt::format("the hub {} is not trusted yet: {}", hub.string(), fmt::join(claims, "; ")),
              fmt::format("read its agenttalk.yaml, then `agenttalk trust --hub {}`, or --trust of run and "
                          "serve for this time",
                          hub.string()));
}

bool AskPerson(const Invocation& call, const fs::path& hub, const std::vector<std::string>& claims) {
  std::string text =
      fmt::format("The hub {} has not been used here before. It wants to do this:\n", hub.string());
  for (const std::string& claim : claims) text += "  - " + claim + "\n";
  call.console.Err(text + "Trust it with these things from now on? [y/N] ");
  std::string line;
  std::getline(std::cin, line);
  return line == "y" || line == "Y" || line == "yes";
}

}  // namespace

std::function<Result<void>(const Team&, const std::vector<PlanId>&)> TrustCheck(
    const Invocation& call, const fs::path& hub, const ProviderChoice& choice) {
  // Whoever takes every answer from a file of the user's sends no key, and starts no program but tools and
  // MCP servers.
  const bool offline = choice.answers.has_value() || choice.replay.has_value();
  return [&call, hub, offline](const Team& team, const std::vector<PlanId>& foreign) -> Result<void> {
    if (call.arguments.Has("--trust")) return {};
    std::vector<TrustNeed> needs = offline && team.config.tools.empty() && team.config.mcp_servers.empty()
                                       ? std::vector<TrustNeed>()
                                       : NeedsOf(team.config, hub);
    const bool known = IsTrusted(hub, needs);
    if (known && foreign.empty()) return {};
    const auto claims = Claims(known ? std::vector<TrustNeed>() : needs, foreign);
    if (call.json || !IsInteractive() || !AskPerson(call, hub, claims)) return Untrusted(hub, claims);
    return known ? Result<void>() : RecordTrust(hub, needs);
  };
}

Result<void> RequireTrust(const Team& team, const fs::path& hub) {
  const std::vector<TrustNeed> needs = NeedsOf(team.config, hub);
  if (IsTrusted(hub, needs)) return {};
  return Untrusted(hub, Claims(needs, {}));
}

Parameter TrustParameter() {
  return {
      .name = "--trust",
      .takes = Takes::kFlag,
      .help = "for this time, let the hub start its programs, send its keys and resume work from elsewhere"};
}

}  // namespace agenttalk
