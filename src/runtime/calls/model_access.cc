#include "runtime/calls/model_access.h"

#include <sys/resource.h>

#include <memory>

#include "base/error.h"
#include "base/reactor.h"
#include "llm/curl_client.h"
#include "llm/endpoint.h"
#include "llm/paced_provider.h"
#include "model/config/hub_config.h"

namespace agenttalk {
namespace {

// A connection is a descriptor, and the usual limit of 1,024 is there for programs that use select.
void AllowManyConnections() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Result<ModelAccess> ModelAccess::Open(const HubLimits& limits) {
  AllowManyConnections();
  ModelAccess access;
  access.reactor = TRY(Reactor::Open());
  access.http = std::make_unique<CurlClient>(*access.reactor);
  access.gate = std::make_unique<CallGate>(limits.max_parallel_calls);
  access.environment = ProcessEnvironment();
  return access;
}

}  // namespace agenttalk
