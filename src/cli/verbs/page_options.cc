#include "cli/verbs/page_options.h"

#include <memory>
#include <utility>
#include <vector>

#include "api/page/server.h"
#include "base/error.h"
#include "cli/verb.h"
#include "runtime/hub.h"

namespace agenttalk {

std::vector<Parameter> WithPageParameters(std::vector<Parameter> own) {
  own.push_back({.name = "--http",
                 .takes = Takes::kMaybeValue,
                 .help = "serve the page for browsers; default 127.0.0.1:7717",
                 .value = "ADDR:PORT"});
  own.push_back({.name = "--tls-cert",
                 .takes = Takes::kValue,
                 .help = "the page's certificate chain (PEM)",
                 .value = "FILE",
                 .completes = Completes::kFile});
  own.push_back({.name = "--tls-key",
                 .takes = Takes::kValue,
                 .help = "its private key (PEM)",
                 .value = "FILE",
                 .completes = Completes::kFile});
  own.push_back({.name = "--insecure-http",
                 .takes = Takes::kFlag,
                 .help = "serve the page without TLS on an address that others can reach"});
  own.push_back(
      {.name = "--read-only", .takes = Takes::kFlag, .help = "the page shows, but changes nothing"});
  return own;
}

Result<std::unique_ptr<PageServer>> OpenWantedPage(const Invocation& call, Hub& hub) {
  PageOptions options = TRY(ParsePageAddress(call.arguments.Get("--http")));
  options.insecure = call.arguments.Has("--insecure-http");
  options.read_only = call.arguments.Has("--read-only");
  options.tls_certificate = call.arguments.Get("--tls-cert");
  options.tls_key = call.arguments.Get("--tls-key");
  return PageServer::Open(hub, std::move(options));
}

Result<std::unique_ptr<PageServer>> OpenPage(const Invocation& call, Hub& hub) {
  if (!call.arguments.Has("--http")) return std::unique_ptr<PageServer>();
  return OpenWantedPage(call, hub);
}

}  // namespace agenttalk
