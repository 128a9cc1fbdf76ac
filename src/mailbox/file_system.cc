#include "mailbox/file_system.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMaxPathLength = 4000;
constexpr int kMaxMoveAttempts = 1000;

bool IsUsablePart(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.find('\0') == std::string_view::npos;
}

}  // namespace

Result<void> CheckRelativePath(std::string_view path) {
  if (path.empty()) return {};
  if (path.size() > kMaxPathLength) return Fail(ErrorCode::kNameUnsafe, "the path is too long");
  std::size_t start = 0;
  while (start <= path.size()) {
    const std::size_t slash = path.find('/', start);
    const std::size_t end = slash == std::string_view::npos ? path.size() : slash;
    if (!IsUsablePart(path.substr(start, end - start))) {
      return Fail(ErrorCode::kNameUnsafe, "the path is not one inside the hub");
    }
    start = end + 1;
  }
  return {};
}

SplitPath SplitAtLast(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {.directory = "", .name = std::string(path)};
  return {.directory = std::string(path.substr(0, slash)), .name = std::string(path.substr(slash + 1))};
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  std::string path;
  path.reserve(directory.size() + 1 + name.size());
  path.append(directory).append("/").append(name);
  return path;
}

std::string WithSuffix(std::string_view name, std::string_view suffix) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return fmt::format("{}.{}", name, suffix);
  return fmt::format("{}.{}{}", name.substr(0, dot), suffix, name.substr(dot));
}

Result<WholeFile> ReadWhole(FileSystem& files, const std::string& path, std::uint64_t max_bytes) {
  WholeFile whole;
  whole.report = TRY(files.Read(path, max_bytes, [&whole](std::string_view piece) -> Result<void> {
    whole.bytes.append(piece);
    return {};
  }));
  return whole;
}

Result<FileStat> PublishInto(FileSystem& files, const std::string& path, std::string_view bytes,
                             const PublishOptions& options) {
  auto published = files.Publish(path, bytes, options);
  if (published || published.error().code != ErrorCode::kNotFound) return published;
  TRY(files.MakeDirectories(SplitAtLast(path).directory));
  return files.Publish(path, bytes, options);
}

Result<void> MoveInto(FileSystem& files, const std::string& from, const std::string& to) {
  auto moved = files.Move(from, to);
  if (moved || moved.error().code != ErrorCode::kNotFound) return moved;
  TRY(files.MakeDirectories(SplitAtLast(to).directory));
  return files.Move(from, to);
}

Result<std::string> MoveAside(FileSystem& files, const std::string& from, const std::string& to,
                              std::uint64_t number) {
  const SplitPath target = SplitAtLast(to);
  std::string path = to;
  for (int attempt = 1; attempt <= kMaxMoveAttempts; ++attempt) {
    auto moved = MoveInto(files, from, path);
    if (moved) return path;
    if (moved.error().code != ErrorCode::kAlreadyExists) return std::unexpected(std::move(moved).error());
    const std::string suffix = attempt == 1 ? fmt::to_string(number) : fmt::format("{}-{}", number, attempt);
    path = JoinPath(target.directory, WithSuffix(target.name, suffix));
  }
  return Fail(ErrorCode::kAlreadyExists, fmt::format("no free name beside {}", to));
}

Result<std::uint64_t> RemoveLeftovers(FileSystem& files, std::int64_t older_than_ns) {
  const std::string folder(kTemporaryFolder);
  const auto entries = files.List(folder);
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) return 0;
    return std::unexpected(entries.error());
  }
  std::uint64_t removed = 0;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.stat.type == FileType::kDirectory || entry.stat.mtime_ns >= older_than_ns) continue;
    TRY(files.Remove(JoinPath(folder, entry.name)));
    ++removed;
  }
  return removed;
}

}  // namespace agenttalk
