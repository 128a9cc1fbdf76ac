#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/reactor.h"
#include "base/time.h"
#include "llm/endpoint.h"
#include "llm/http_client.h"
#include "model/request/model_request.h"

namespace agenttalk {

using ModelList = std::expected<std::vector<std::string>, ModelError>;

// Asks servers which models they have, all at once, and waits for it: what cannot be reached, or refuses the
// key, shows here before anything is begun.
std::vector<ModelList> ListModels(Reactor& reactor, HttpClient& http, const std::vector<Endpoint>& endpoints,
                                  Duration timeout);

// Whether the address that questions go to is there, found out by one that no server answers and that costs
// nothing; false: it is unknown to the server.
std::vector<bool> KnowQuestions(Reactor& reactor, HttpClient& http, const std::vector<Endpoint>& endpoints,
                                Duration timeout);

}  // namespace agenttalk
