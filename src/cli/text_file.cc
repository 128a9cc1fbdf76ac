#include "cli/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/suggestion.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCompared = 1000;

Result<std::string> ReadAll(int descriptor, const std::string& path, std::size_t max_bytes) {
  std::string text;
  std::array<char, std::size_t{64} << 10> buffer;
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno("cannot read " + path);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > max_bytes) {
      return Fail(ErrorCode::kTooLarge, fmt::format("{} is larger than {} bytes", path, max_bytes));
    }
  }
}

// A file of nearly that name in the same folder, as a hint.
std::string NearestFile(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (names.size() == kMostCompared) break;
    if (at->is_regular_file(ignored)) names.push_back(at->path().filename().string());
  }
  return DidYouMean(path.filename().string(), std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

Result<std::string> ReadTextFile(const std::string& path, std::size_t max_bytes) {
  if (path == "-") return ReadAll(STDIN_FILENO, "standard input", max_bytes);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) {
      return Fail(ErrorCode::kNotFound, fmt::format("there is no file {}", path), NearestFile(path));
    }
    return FailErrno("cannot open " + path);
  }
  auto text = ReadAll(descriptor, path, max_bytes);
  close(descriptor);
  return text;
}

}  // namespace agenttalk
