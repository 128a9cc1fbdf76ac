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

// Asks a server for two short answers, one by a schema and one by a tool.
ProviderTrial TryServer(const ProviderConfig& config, const Endpoint& endpoint, ModelAccess& access);
// Asks a program for one short answer.
ProviderTrial TryProgram(const ProviderConfig& config, const std::filesystem::path& hub, ModelAccess& access);

}  // namespace agenttalk
