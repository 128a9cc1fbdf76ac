#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "api/api_server.h"
#include "api/hub_client.h"
#include "api/hub_service.h"
#include "api/page/server.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/verb.h"
#include "cli/verbs/page_options.h"
#include "cli/verbs/provider_options.h"
#include "cli/verbs/trust_check.h"
#include "cli/verbs/verbs.h"
#include "runtime/hub.h"
#include "runtime/hub_home.h"

namespace agenttalk {
namespace {

// A browser, where there is a desktop to show one on.
void OpenBrowser(const std::string& url) {
  const bool desktop = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (!desktop) return;
  if (::fork() != 0) return;
  ::setsid();
  ::execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
  ::_exit(127);
}

void Tell(const Invocation& call, const std::string& url) {
  if (call.json) {
    call.console.Out(CompactJson(boost::json::object{{"url", url}}) + "\n");
  } else {
    call.console.Out(fmt::format("{}\n", url));
    call.console.Err("agenttalk: the link works once, within ten minutes\n");
  }
  if (!call.arguments.Has("--no-browser")) OpenBrowser(url);
}

Result<ExitCode> ServePage(const Invocation& call, const std::filesystem::path& directory) {
  HubOptions options;
  options.report = [&](const std::string& text) { call.console.Err(fmt::format("agenttalk: {}\n", text)); };
  options.providers = TRY(ReadProviderChoice(call));
  options.permit = TrustCheck(call, directory, options.providers);
  const std::unique_ptr<Hub> hub = TRY(Hub::Open(directory, std::move(options)));
  const std::unique_ptr<PageServer> page = TRY(OpenWantedPage(call, *hub));
  const std::unique_ptr<ApiServer> server = TRY(ApiServer::Open(*hub, page->Methods()));
  Tell(call, TRY(page->NewLink()));
  TRY(hub->Serve(false));
  return ExitCode::kDone;
}

Result<ExitCode> Ui(const Invocation& call) {
  const auto directory = TRY(call.Hub());
  if (!TRY(HolderOf(directory))) return ServePage(call, directory);
  const auto answer = TRY(HubClient(directory).Call("page/link", {}));
  Tell(call, std::string(answer.at("url").as_string()));
  return ExitCode::kDone;
}

}  // namespace

Verb UiVerb() {
  return {.name = "ui",
          .summary = "Opens the page: shows plans, prompts, answers and questions in a browser.",
          .example = "agenttalk ui\nagenttalk ui --http 127.0.0.1:8080 --no-browser",
          .parameters = WithProviderParameters(WithPageParameters(
              {{.name = "--no-browser", .takes = Takes::kFlag, .help = "print the link, open nothing"}})),
          .run = Ui};
}

}  // namespace agenttalk
