#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "api/api_server.h"
#include "api/hub_service.h"
#include "api/page/server.h"
#include "base/error.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/live/progress.h"
#include "cli/verb.h"
#include "cli/verbs/page_options.h"
#include "cli/verbs/provider_options.h"
#include "cli/verbs/trust_check.h"
#include "cli/verbs/verbs.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

ExitCode ExitCodeOf(Hub::End end) {
  switch (end) {
    case Hub::End::kFailed:
      return ExitCode::kWorkFailed;
    case Hub::End::kWaiting:
      return ExitCode::kWaitingForHuman;
    case Hub::End::kStopped:
    case Hub::End::kDone:
      break;
  }
  return ExitCode::kDone;
}

Result<ExitCode> Serve(const Invocation& call) {
  const auto directory = TRY(call.Hub());
  Progress progress([&](const std::string& line) { call.console.Err(line + "\n"); },
                    call.console.colors_err());
  HubOptions options;
  options.listener = &progress;
  options.report = [&](const std::string& text) { call.console.Err(fmt::format("agenttalk: {}\n", text)); };
  options.providers = TRY(ReadProviderChoice(call));
  options.permit = TrustCheck(call, directory, options.providers);
  options.notifications = !call.arguments.Has("--scan-only");
  const std::unique_ptr<Hub> hub = TRY(Hub::Open(directory, std::move(options)));
  if (!call.arguments.Has("--quiet")) progress.Follow(*hub);
  const std::unique_ptr<PageServer> page = TRY(OpenPage(call, *hub));
  const std::unique_ptr<ApiServer> server =
      TRY(ApiServer::Open(*hub, page ? page->Methods() : PageMethods()));
  if (page) call.console.Err(fmt::format("agenttalk: the page is at {}\n", TRY(page->NewLink())));
  const auto end = hub->Serve(call.arguments.Has("--until-idle"));
  if (end) return ExitCodeOf(*end);
  // Nothing is acknowledged any more, and only a new start can tell what is on the disk.
  call.console.Err(fmt::format("agenttalk: the journal cannot be written: {}\n", end.error().message));
  return ExitCode::kEnvironment;
}

}  // namespace

Verb ServeVerb() {
  return {.name = "serve",
          .summary = "Runs the hub and all its plans until stopped.",
          .example = "agenttalk serve --hub my-team\nagenttalk serve --until-idle --answers answers.yaml",
          .parameters = WithProviderParameters(WithPageParameters(
              {{.name = "--until-idle",
                .takes = Takes::kFlag,
                .help = "end when nothing continues by itself: 0 all done, 1 something failed, "
                        "3 people are awaited"},
               {.name = "--scan-only",
                .takes = Takes::kFlag,
                .help = "find files by the heartbeat's scan alone, as on network file systems"},
               {.name = "--quiet", .takes = Takes::kFlag, .help = "print no progress"}})),
          .run = Serve};
}

}  // namespace agenttalk
