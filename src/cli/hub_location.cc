#include "cli/hub_location.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/error_code.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

bool IsHub(const fs::path& directory) {
  std::error_code ignored;  // what cannot be looked at is not a hub
  return fs::is_regular_file(directory / kHubFile, ignored);
}

Result<std::optional<fs::path>> NamedHub(const fs::path& directory, std::string_view named_by) {
  if (IsHub(directory)) return directory;
  return Fail(ErrorCode::kHubMissing,
              fmt::format("{} names {}, which is not a hub (no {})", named_by, directory.string(), kHubFile),
              fmt::format("create one: agenttalk init {}", directory.string()));
}

}  // namespace

Result<std::optional<fs::path>> FindHub(const std::string& named, const fs::path& start) {
  if (!named.empty()) return NamedHub(named, "--hub");
  const char* environment = std::getenv("AGENTTALK_HUB");
  if (environment != nullptr && *environment != '\0') return NamedHub(environment, "AGENTTALK_HUB");
  for (fs::path directory = start; !directory.empty(); directory = directory.parent_path()) {
    if (IsHub(directory)) return directory;
    if (directory == directory.parent_path()) break;
  }
  return std::nullopt;
}

}  // namespace agenttalk
