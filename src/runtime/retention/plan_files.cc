#include "runtime/retention/plan_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/utf8.h"
#include "mailbox/file_system.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// One may be too deep to be named at all.
std::string Shortened(const std::string& folder) {
  constexpr std::size_t kShown = 200;
  return folder.size() <= kShown ? folder : fmt::format("{}…", Utf8Prefix(folder, kShown));
}

bool IsGone(const std::error_code& failed) {
  return failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory;
}

// Calls `visit` with the name and the kind of everything in a folder. One that is not there is empty.
template <typename Visit>
Result<void> ForEachEntry(const fs::path& hub, const std::string& folder, const Visit& visit) {
  std::error_code failed;
  for (fs::directory_iterator at(hub / folder, failed), end; !failed && at != end; at.increment(failed)) {
    const fs::file_type type = at->symlink_status(failed).type();
    if (IsGone(failed)) continue;  // meanwhile; the increment clears the code
    if (failed) break;
    visit(at->path().filename().string(), type);
  }
  if (!failed || IsGone(failed)) return {};
  const bool denied = failed == std::errc::permission_denied;
  return Fail(denied ? ErrorCode::kPermissionDenied : ErrorCode::kIo,
              fmt::format("the folder {} cannot be read: {}", Shortened(folder), failed.message()),
              denied ? "make it readable for the user who runs this, or remove it"
                     : "move it out of the plan's folder, or remove it");
}

Result<std::vector<std::string>> FoldersOf(const fs::path& hub, const PlanId& plan) {
  std::vector<std::string> folders = {"plans/" + plan.str()};
  TRY(ForEachEntry(hub, "agents", [&](const std::string& agent, fs::file_type type) {
    if (type != fs::file_type::directory || !IsSafeName(agent)) return;
    for (const char* kind : {"logs", "workspace"})
      folders.push_back(fmt::format("agents/{}/{}/{}", agent, kind, plan.str()));
  }));
  return folders;
}

}  // namespace

bool IsPlanFile(const std::string& path, const PlanId& plan) {
  if (!CheckRelativePath(path)) return false;
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    parts.push_back(std::string_view(path).substr(at, slash - at));
    at = slash + 1;
  }
  if (parts.size() >= 3 && parts[0] == "plans") return parts[1] == plan.str();
  return parts.size() >= 5 && parts[0] == "agents" && IsSafeName(parts[1]) &&
         (parts[2] == "logs" || parts[2] == "workspace") && parts[3] == plan.str();
}

Result<std::vector<std::string>> ListPlanFiles(const fs::path& hub, const PlanId& plan) {
  std::vector<std::string> folders = TRY(FoldersOf(hub, plan));
  std::vector<std::string> files;
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    TRY(ForEachEntry(hub, folder, [&](const std::string& name, fs::file_type type) {
      std::string path = JoinPath(folder, name);
      if (type == fs::file_type::directory) {
        folders.push_back(std::move(path));
      } else if (type == fs::file_type::regular) {
        files.push_back(std::move(path));
      }
    }));
  }
  const auto unusable =
      std::ranges::find_if_not(files, [&](const auto& path) { return IsPlanFile(path, plan); });
  if (unusable != files.end()) {
    return Fail(ErrorCode::kNameUnsafe, fmt::format("the path of {} is too long", Shortened(*unusable)),
                "move the file out of the plan's folder, or remove it");
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace agenttalk
