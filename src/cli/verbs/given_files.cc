#include "cli/verbs/given_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/glob.h"
#include "base/posix_root.h"
#include "cli/text_file.h"
#include "model/config/hub_config.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kLargestGiven = 64 * kMebibyte;
constexpr std::size_t kMostGiven = 1000;
constexpr std::size_t kMostGivenBytes = 64 * kMebibyte;  // of one request

bool IsHidden(const fs::path& path) {
  return path.filename().string().starts_with('.');
}

// Everything below a folder but what is hidden, as tools that walk folders do.
void AddFolder(const fs::path& folder, std::vector<fs::path>& found) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    if (IsHidden(at->path())) {
      if (at->is_directory(error)) at.disable_recursion_pending();
      continue;
    }
    if (at->is_regular_file(error)) found.push_back(at->path());
    if (found.size() > kMostGiven) return;
  }
}

Result<std::vector<fs::path>> Expand(const fs::path& directory, const std::string& pattern,
                                     const std::string& hint) {
  const fs::path path = directory / pattern;
  const std::string name = path.filename().string();
  std::error_code error;
  std::vector<fs::path> found;
  if (fs::is_directory(path, error)) {
    AddFolder(path, found);
    if (found.empty())
      return Fail(ErrorCode::kNotFound, fmt::format("there is no file in {}", pattern), hint);
  } else if (!IsGlob(name)) {
    found.push_back(path);
  } else {
    for (fs::directory_iterator at(path.parent_path(), error), end; !error && at != end;
         at.increment(error)) {
      const std::string entry = at->path().filename().string();
      if (GlobMatches(name, entry) && fs::is_regular_file(at->path(), error)) found.push_back(at->path());
    }
    if (found.empty())
      return Fail(ErrorCode::kNotFound, fmt::format("no file matches {}", path.string()), hint);
  }
  std::ranges::sort(found);
  return found;
}

// What a plan names goes to models. A link beside the plan may lead to something that its reader does not
// expect, so that links below the folder are not followed.
Result<std::string> ReadGiven(const fs::path& directory, const fs::path& file) {
  const fs::path folder = directory.empty() ? fs::path(".") : directory;
  const fs::path within = file.lexically_relative(directory.empty() ? fs::path() : directory);
  const bool beneath = !within.empty() && *within.begin() != ".." && !within.is_absolute();
  if (!beneath) return ReadTextFile(file.string(), kLargestGiven);
  const PosixRoot root = TRY(PosixRoot::Open(folder.string()));
  auto text = root.ReadFile(within.string(), kLargestGiven);
  if (text) return text;
  if (text.error().code == ErrorCode::kNotFound) return ReadTextFile(file.string(), kLargestGiven);
  if (text.error().code != ErrorCode::kFileUnsafe) return text;
  return Fail(ErrorCode::kFileUnsafe, fmt::format("{} is not an ordinary file of its folder", file.string()),
              "links are not followed: copy the file there");
}

}  // namespace

Result<LoadedFiles> LoadGivenFiles(const fs::path& directory, const std::vector<std::string>& paths,
                                   const std::string& hint) {
  LoadedFiles files;
  std::set<std::string> names;
  std::set<fs::path> read;
  std::size_t bytes = 0;
  for (const std::string& pattern : paths) {
    for (const fs::path& file : TRY(Expand(directory, pattern, hint))) {
      if (!read.insert(file.lexically_normal()).second) continue;
      const std::string name = file.filename().string();
      if (!IsInputName(name)) {
        return Fail(ErrorCode::kNameUnsafe, fmt::format("{}: the name cannot be used", file.string()),
                    "names of files have letters, digits, dots, dashes and underscores: rename it");
      }
      if (!names.insert(name).second) {
        return Fail(ErrorCode::kValueInvalid, fmt::format("two files are called {}", name),
                    "tasks know files by their base name: rename one");
      }
      files.emplace_back(name, TRY(ReadGiven(directory, file)));
      bytes += files.back().second.size();
      if (files.size() > kMostGiven || bytes > kMostGivenBytes) {
        return Fail(ErrorCode::kTooLarge,
                    fmt::format("more than {} files or {} MiB", kMostGiven, kMostGivenBytes / kMebibyte),
                    "give fewer files, or pack them into an archive");
      }
    }
  }
  return files;
}

json::array FilesOfRequest(const LoadedFiles& files) {
  json::array list;
  for (const auto& [name, bytes] : files)
    list.push_back(json::object{{"name", name}, {"content_base64", EncodeBase64(bytes)}});
  return list;
}

}  // namespace agenttalk
