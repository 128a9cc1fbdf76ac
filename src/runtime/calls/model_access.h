#pragma once

#include <memory>

#include "base/error.h"
#include "base/reactor.h"
#include "llm/curl_client.h"
#include "llm/endpoint.h"
#include "llm/paced_provider.h"
#include "model/config/hub_config.h"

namespace agenttalk {

// What providers that leave the process stand on. It outlives them.
struct ModelAccess {
  std::unique_ptr<Reactor> reactor;
  std::unique_ptr<CurlClient> http;
  std::unique_ptr<CallGate> gate;  // limits.max_parallel_calls
  Environment environment;

  static Result<ModelAccess> Open(const HubLimits& limits);
};

}  // namespace agenttalk
