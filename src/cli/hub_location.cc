#include "cli/hub_location.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

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

std::string UserName(uid_t user) {
  const passwd* known = ::getpwuid(user);
  return known != nullptr ? std::string(known->pw_name) : fmt::format("user {}", user);
}

bool IsHub(const fs::path& directory) {
  std::error_code ignored;  // what cannot be looked at is not a hub
  return fs::is_regular_file(directory / kHubFile, ignored);
}

// A folder or file of somebody else's could be changed under us, and what it says would be done with our
// rights. `links`: the path may be a link of the user's own; what it leads to counts.
Result<void> CheckOwner(const fs::path& path, bool links) {
  struct stat status{};
  if (::fstatat(AT_FDCWD, path.c_str(), &status, links ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("{} belongs to {}, not to you or root", path.string(), UserName(status.st_uid)),
                "use a copy that belongs to you (cp -r), or another hub (--hub DIR)");
  }
  return {};
}

Result<void> CheckHub(const fs::path& directory) {
  TRY(CheckOwner(directory, true));
  TRY(CheckOwner(directory / kHubFile, false));
  TRY(CheckOwner(directory / ".agenttalk", false));
  struct stat status{};
  if (::stat(directory.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0) {
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("everybody may write to {}: others could change the hub", directory.string()),
                fmt::format("chmod 700 {}, or move the hub into a folder of your own", directory.string()));
  }
  return {};
}

Result<std::optional<fs::path>> NamedHub(const fs::path& directory, std::string_view named_by) {
  if (IsHub(directory)) {
    TRY(CheckHub(directory));
    return directory;
  }
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
    if (IsHub(directory)) {
      TRY(CheckHub(directory));
      return directory;
    }
    // What lies above a stranger's folder was not chosen by the user either.
    TRY(CheckOwner(directory, true));
    if (directory == directory.parent_path()) break;
  }
  return std::nullopt;
}

}  // namespace agenttalk
