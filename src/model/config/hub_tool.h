#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "model/config/risk_level.h"
#include "model/reading/object_reader.h"

// A tool that a hub's owner declares in agenttalk.yaml: a program that runs in the sandbox
// (docs/formats/tools.md).
namespace agenttalk {

// The folder of a hub that such programs see, read-only.
inline constexpr const char* kToolsFolder = "tools";

struct HubToolConfig {
  std::string description;
  std::vector<std::string> command;  // the program and its arguments, with {argument} in them
  std::string schema = R"({"additionalProperties":false,"properties":{},"type":"object"})";  // JSON text
  std::optional<bool>
      idempotent;  // missing: a tool without network is, for it reaches its command's folder alone
  bool network = false;
  Duration timeout = std::chrono::minutes(10);
  std::vector<std::string> env;      // the variables of the hub's environment that it sees, by name
  std::size_t max_output_bytes = 0;  // 0: the hub's limit
  RiskLevel risk = RiskLevel::kLow;  // high: a person is asked before each call

  [[nodiscard]] bool MayRepeat() const { return idempotent.value_or(!network); }
  // Whether arguments stand in the command; otherwise the program reads them as JSON.
  [[nodiscard]] bool HasPlaceholders() const;
  // Whether it uses the hub's tools folder.
  [[nodiscard]] bool UsesToolsFolder() const;

  bool operator==(const HubToolConfig&) const = default;
};

// Reads one entry of `tools:`; also checks the name, and that its arguments can be checked by its schema.
void ReadHubTool(const std::string& name, ObjectReader& reader, HubToolConfig& tool);
boost::json::object ToJson(const HubToolConfig& tool);

// The command for these arguments. A part whose argument is not given is left out; a list as a whole part
// becomes a part for each item. An error: a value that the program could take for an option.
Result<std::vector<std::string>> FillCommand(const std::vector<std::string>& command,
                                             const boost::json::object& arguments);

}  // namespace agenttalk
