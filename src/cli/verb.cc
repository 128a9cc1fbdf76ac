#include "cli/verb.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "cli/hub_location.h"

namespace agenttalk {

Result<std::optional<std::filesystem::path>> Invocation::HubIfAny() const {
  std::error_code failure;
  const std::filesystem::path here = std::filesystem::current_path(failure);
  if (failure) return Fail(ErrorCode::kIo, "the current directory is gone: " + failure.message());
  return FindHub(arguments.Get("--hub"), here);
}

Result<std::filesystem::path> Invocation::Hub() const {
  const auto found = TRY(HubIfAny());
  if (found) return *found;
  return Fail(
      ErrorCode::kHubMissing, "no hub here: neither this directory nor a parent has an agenttalk.yaml",
      "change into a hub, name one with --hub DIR or AGENTTALK_HUB, or create one with `agenttalk init`");
}

const std::vector<Parameter>& CommonParameters() {
  static const std::vector<Parameter> parameters = {
      {.name = "--hub",
       .takes = Takes::kValue,
       .help = "the hub (default: AGENTTALK_HUB, else the nearest parent with agenttalk.yaml)",
       .value = "DIR",
       .completes = Completes::kDirectory},
      {.name = "--json", .help = "print JSON for programs"},
      {.name = "--help", .help = "show this help"},
  };
  return parameters;
}

}  // namespace agenttalk
