#include <fmt/format.h>

#include <boost/json.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/redact.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"
#include "runtime/calls/mcp_pins.h"
#include "runtime/hub_home.h"
#include "runtime/hub_trust.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct Standing {
  std::vector<TrustNeed> needs;
  bool foreign = false;
  bool trusted = false;
  std::vector<McpPins::Change> changes = {};  // tools of MCP servers that wait for a person
};

void TellTrust(const Invocation& call, const fs::path& hub, const Standing& standing) {
  if (call.json) {
    json::array needs;
    for (const TrustNeed& need : standing.needs) {
      needs.push_back({{"kind", need.kind},
                       {"provider", need.provider},
                       {"what", Redact(need.what)},
                       {"where", Redact(need.where)}});
    }
    json::array changed;
    for (const McpPins::Change& change : standing.changes) {
      changed.push_back(
          {{"server", change.server}, {"tool", change.tool}, {"description", Redact(change.description)}});
    }
    call.console.Out(json::serialize(json::object{{"hub", hub.string()},
                                                  {"trusted", standing.trusted},
                                                  {"foreign_journal", standing.foreign},
                                                  {"needs", std::move(needs)},
                                                  {"changed_tools", std::move(changed)}}) +
                     "\n");
    return;
  }
  for (const TrustNeed& need : standing.needs) call.console.Out("- " + Redact(Describe(need)) + "\n");
  if (standing.foreign) call.console.Out("- its journal was begun elsewhere\n");
  for (const McpPins::Change& change : standing.changes) {
    call.console.Out(fmt::format("- the tool {} of the MCP server {} describes itself differently now: {}\n",
                                 change.tool, change.server, Redact(change.description)));
  }
  const bool needs_nothing = standing.needs.empty() && !standing.foreign;
  call.console.Out(fmt::format("{}: {}\n", hub.string(),
                               needs_nothing      ? "needs no trust"
                               : standing.trusted ? "trusted"
                                                  : "not trusted"));
}

Result<ExitCode> Trust(const Invocation& call) {
  const fs::path hub = TRY(call.Hub());
  const Team team = TRY(LoadTeam(hub));
  McpPins pins(hub);
  Standing standing{NeedsOf(team.config, hub), HasForeignJournal(hub), false, pins.Changes()};
  if (call.arguments.Has("--forget")) {
    TRY(ForgetTrust(hub));
    std::error_code ignored;
    fs::remove(HomeOf(hub) / "origin", ignored);
    standing.foreign = HasForeignJournal(hub);
  } else if (!call.arguments.Has("--show")) {
    if (!standing.needs.empty()) TRY(RecordTrust(hub, standing.needs));
    if (standing.foreign) TRY(AdoptJournal(hub));
    pins.AcceptChanges();
    TRY(pins.Save());
  }
  standing.trusted = IsTrusted(hub, standing.needs) && !HasForeignJournal(hub);
  TellTrust(call, hub, standing);
  return standing.trusted || call.arguments.Has("--forget") ? ExitCode::kDone : ExitCode::kEnvironment;
}

}  // namespace

Verb TrustVerb() {
  return {.name = "trust",
          .summary = "Lets a hub from elsewhere start its programs, send its keys and resume its work.",
          .example = "agenttalk trust --show\nagenttalk trust",
          .parameters = {{.name = "--show",
                          .takes = Takes::kFlag,
                          .help = "only tell what it wants; exit code 4 when it is not trusted"},
                         {.name = "--forget", .takes = Takes::kFlag, .help = "take the trust back"}},
          .run = Trust};
}

}  // namespace agenttalk
