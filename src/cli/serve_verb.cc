#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "api/api_server.h"
#include "base/error.h"
#include "base/error_code.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "cli/verbs.h"
#include "runtime/hub.h"
#include "runtime/provider_choice.h"

namespace agenttalk {
namespace {

ExitCode ExitCodeOf(Hub::End end) {
  switch (end) {
    case Hub::End::kFailed:
      return ExitCode::kWorkFailed;
    case Hub::End::kWaiting:
      return ExitCode::kWaitingForHuman;
    default:
      return ExitCode::kDone;
  }
}

Result<void> CheckChoice(const ProviderChoice& choice) {
  if (choice.replay && (choice.record || choice.answers)) {
    return Fail(ErrorCode::kUsage, "--replay takes every answer from its file",
                "leave out --record and --answers");
  }
  return {};
}

Result<ExitCode> Serve(const Invocation& call) {
  const auto directory = TRY(call.Hub());
  Progress progress(call.console);
  HubOptions options;
  options.listener = &progress;
  options.report = [&](const std::string& text) { call.console.Err(fmt::format("agenttalk: {}\n", text)); };
  if (call.arguments.Has("--answers")) options.providers.answers = call.arguments.Get("--answers");
  options.providers.provider = call.arguments.Get("--provider");
  options.notifications = !call.arguments.Has("--scan-only");
  if (call.arguments.Has("--record")) options.providers.record = call.arguments.Get("--record");
  if (call.arguments.Has("--replay")) options.providers.replay = call.arguments.Get("--replay");
  TRY(CheckChoice(options.providers));
  const std::unique_ptr<Hub> hub = TRY(Hub::Open(directory, std::move(options)));
  if (!call.arguments.Has("--quiet")) progress.Follow(*hub);
  const std::unique_ptr<ApiServer> server = TRY(ApiServer::Open(*hub));
  const auto end = hub->Serve(call.arguments.Has("--until-idle"));
  if (end) return ExitCodeOf(*end);
  // Nothing is acknowledged any more, and only a new start can tell what is on the disk.
  call.console.Err(fmt::format("agenttalk: the journal cannot go on: {}\n", end.error().message));
  return ExitCode::kEnvironment;
}

}  // namespace

Verb ServeVerb() {
  return {
      .name = "serve",
      .summary = "Runs the hub until it is stopped.",
      .example = "agenttalk serve --hub my-team\nagenttalk serve --until-idle --answers answers.yaml",
      .parameters = {{.name = "--until-idle",
                      .takes = Takes::kFlag,
                      .help = "end when nothing goes on by itself any more: 0 all done, 1 something failed, "
                              "3 people are awaited"},
                     {.name = "--answers",
                      .takes = Takes::kValue,
                      .help = "a script that answers for every agent: no model, no network",
                      .value = "FILE",
                      .completes = Completes::kFile},
                     {.name = "--provider",
                      .takes = Takes::kValue,
                      .help = "the default provider: a configured name or a kind",
                      .value = "P"},
                     {.name = "--scan-only",
                      .takes = Takes::kFlag,
                      .help = "find files by the heartbeat's scan alone, as on network file systems"},
                     {.name = "--record",
                      .takes = Takes::kValue,
                      .help = "adds what models are asked and answer to a cassette",
                      .value = "FILE",
                      .completes = Completes::kFile},
                     {.name = "--replay",
                      .takes = Takes::kValue,
                      .help = "answers from a cassette: no model, no network",
                      .value = "FILE",
                      .completes = Completes::kFile},
                     {.name = "--quiet", .takes = Takes::kFlag, .help = "do not tell what is going on"}},
      .run = Serve};
}

}  // namespace agenttalk
