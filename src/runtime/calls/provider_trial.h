#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "llm/endpoint.h"
#include "model/config/hub_config.h"
#include "model/request/model_request.h"
#include "runtime/calls/model_access.h"

namespace agenttalk {

// What a provider was seen to do in one or two tiny calls.
struct ProviderTrial {
  bool answers = false;
  std::optional<bool> streams;  // missing: not asked for, or not a server
  std::optional<bool> schema;   // it held its answer to a schema
  std::optional<bool> tools;    // it called a tool that it was told to call
  Usage usage;                  // all zero: it does not count
  std::optional<double> cost_usd;
  Duration took{};
  std::string error;               // why it does not answer
  std::vector<std::string> words;  // all of this for people, one remark each
};

// Asks a server for a short answer that is held to a schema and, where its models are to call tools, for a
// call of a tool. One answer cannot show both: it is either held to the schema or a call.
ProviderTrial TryServer(const ProviderConfig& config, const Endpoint& endpoint, ModelAccess& access);
// Asks a program for one short answer.
ProviderTrial TryProgram(const ProviderConfig& config, const std::filesystem::path& hub, ModelAccess& access);

}  // namespace agenttalk
