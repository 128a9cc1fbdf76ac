#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/verb.h"
#include "cli/verbs/mcp_stdio.h"
#include "cli/verbs/provider_options.h"
#include "cli/verbs/verbs.h"

namespace agenttalk {
namespace {

Result<ExitCode> NewToken(const Invocation& call) {
  const boost::json::value made = TRY(CallHub(call, "page/token", {{"role", call.arguments.Get("--token")}}));
  if (call.json) {
    call.console.Out(CompactJson(made) + "\n");
    return ExitCode::kDone;
  }
  call.console.Out(
      fmt::format("{}\nAuthorization: Bearer {}\n", CellText(made.at("url")), CellText(made.at("token"))));
  call.console.Err("agenttalk: the token is valid for 30 days; whoever has it may do what its role allows\n");
  return ExitCode::kDone;
}

// As they were given: `run` reads them again.
std::vector<std::string> OptionsForRun(const Invocation& call) {
  std::vector<std::string> options;
  for (const char* name : {"--answers", "--provider", "--record", "--replay"}) {
    if (!call.arguments.Has(name)) continue;
    options.emplace_back(name);
    options.push_back(call.arguments.Get(name));
  }
  if (call.arguments.Has("--trust")) options.emplace_back("--trust");
  return options;
}

Result<ExitCode> Mcp(const Invocation& call) {
  if (call.arguments.Has("--token")) return NewToken(call);
  TRY(ReadProviderChoice(call));
  TRY(ServeMcpOnStdio(TRY(call.Hub()), OptionsForRun(call)));
  return ExitCode::kDone;
}

}  // namespace

Verb McpVerb() {
  return {
      .name = "mcp",
      .summary = "Serves the hub to an MCP client on stdin and stdout.",
      .example = "claude mcp add my-team -- agenttalk mcp --hub /home/me/my-team\nagenttalk mcp --token view",
      .parameters = WithProviderParameters(
          {{.name = "--token",
            .takes = Takes::kMaybeValue,
            .help = "print the address and a new token for /mcp of a hub that is served with --http; "
                    "view, answer or operate (default)",
            .value = "ROLE"}}),
      .run = Mcp};
}

}  // namespace agenttalk
