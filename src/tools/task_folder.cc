#include "tools/task_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/ids.h"
#include "base/posix_root.h"

namespace agenttalk {
namespace {

constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0644;
constexpr int kDeepest = 32;
constexpr std::size_t kLongestPath = 1024;

// A program in the sandbox sees the folder as /task; models carry that over to the other tools.
std::string Relative(std::string path) {
  for (const std::string_view prefix : {"/task/", "./"}) {
    if (path.starts_with(prefix)) path.erase(0, prefix.size());
  }
  return path == "." || path == "/task" ? std::string() : path;
}

Result<void> CheckPath(std::string_view path) {
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kNameUnsafe, fmt::format("{:?}: {}", path, why),
                "give a path below inputs/, outputs/ or work/, such as work/notes.md");
  };
  if (path.size() > kLongestPath) return refuse("the path is too long");
  if (path.starts_with('/')) return refuse("the path is not relative");
  int parts = 0;
  for (std::size_t start = 0; start <= path.size() && !path.empty(); ++parts) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, slash - start);
    if (part.empty() || part == "." || part == "..") return refuse("every part of a path must be a name");
    if (std::ranges::any_of(part, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
      return refuse("a name must not contain control characters");
    start = slash + 1;
  }
  if (parts > kDeepest) return refuse("the path is too deep");
  return {};
}

// What a model reads as the reason; the path is its own, not the machine's.
std::unexpected<Error> FailPath(int number, const std::string& path) {
  if (number == ENOENT)
    return Fail(ErrorCode::kNotFound, path + ": there is no such file", "list_files shows them");
  if (number == EISDIR) return Fail(ErrorCode::kFileUnsafe, path + ": this is a folder");
  if (number == ELOOP) return Fail(ErrorCode::kFileUnsafe, path + ": links are not followed");
  return FailFile(number, path);
}

Result<void> WriteAll(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return FailPath(errno, path);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

std::string Joined(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

}  // namespace

Result<TaskFolder> TaskFolder::Open(const std::filesystem::path& hub, const AgentId& agent,
                                    const PlanId& plan, const CommandId& command) {
  const PosixRoot root = TRY(PosixRoot::Open(hub.string()));
  const std::string folder = fmt::format("agents/{}/workspace/{}/{}", agent.str(), plan.str(), command.str());
  for (const char* part : {"inputs", "outputs", "work"}) TRY(root.MakeFolder(folder + "/" + part));
  return TaskFolder(TRY(root.Below(folder)));
}

Result<std::string> TaskFolder::Read(const std::string& given, std::size_t limit) const {
  const std::string path = Relative(given);
  TRY(CheckPath(path));
  // Without O_NONBLOCK opening a FIFO would wait for its other end.
  const auto file = root_.OpenAt(path, O_RDONLY | O_NONBLOCK);
  if (!file) return FailPath(file.error(), path);
  struct stat status{};
  if (::fstat(file->get(), &status) != 0) return FailPath(errno, path);
  if (S_ISDIR(status.st_mode)) return FailPath(EISDIR, path);
  if (!S_ISREG(status.st_mode)) return Fail(ErrorCode::kFileUnsafe, path + ": this is not an ordinary file");
  if (status.st_nlink > 1)
    return Fail(ErrorCode::kFileUnsafe, path + ": the file has a second name, which may lie elsewhere");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > limit)
    return Fail(ErrorCode::kTooLarge,
                fmt::format("{}: {} bytes are more than the {} that can be read", path, size, limit));
  std::string text(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::read(file->get(), text.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FailPath(errno, path);
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

Result<void> TaskFolder::MakeFolder(const std::string& path) const {
  std::string above;
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    const std::string name = path.substr(start, slash - start);
    const auto parent = root_.OpenAt(above, O_PATH | O_DIRECTORY);
    if (!parent) return FailPath(parent.error(), above);
    if (::mkdirat(parent->get(), name.c_str(), kFolderMode) != 0 && errno != EEXIST)
      return FailPath(errno, path);
    above = Joined(above, name);
    start = slash + 1;
  }
  return {};
}

Result<FileDescriptor> TaskFolder::OpenFolder(const std::string& path) const {
  auto folder = root_.OpenAt(path, O_RDONLY | O_DIRECTORY);
  if (!folder) return FailPath(folder.error(), path);
  return std::move(*folder);
}

Result<void> TaskFolder::Write(const std::string& given, std::string_view bytes) const {
  const std::string path = Relative(given);
  if (!path.starts_with("outputs/") && !path.starts_with("work/")) {
    TRY(CheckPath(path));
    return Fail(ErrorCode::kPermissionDenied, path + ": files can be written below outputs/ and work/ only");
  }
  return Place(path, bytes);
}

Result<void> TaskFolder::Place(const std::string& path, std::string_view bytes) const {
  TRY(CheckPath(path));
  const std::size_t slash = path.rfind('/');
  TRY(MakeFolder(path.substr(0, slash)));
  const FileDescriptor folder = TRY(OpenFolder(path.substr(0, slash)));
  const std::string name = path.substr(slash + 1);
  const std::string temporary = fmt::format(".{}.tmp", name.substr(0, 100));
  ::unlinkat(folder.get(), temporary.c_str(), 0);  // what a crash may have left
  FileDescriptor file(::openat(folder.get(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!file.valid()) return FailPath(errno, path);
  TRY(WriteAll(file.get(), bytes, path));
  TRY(file.Close());
  // Replaces a link as a link: what it pointed to is not touched.
  if (::renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0)
    return FailPath(errno, path);
  return {};
}

Result<void> TaskFolder::Remove(const std::string& path) const {
  TRY(CheckPath(path));
  const std::size_t slash = path.rfind('/');
  const auto folder = root_.OpenAt(path.substr(0, slash), O_RDONLY | O_DIRECTORY);
  if (!folder && folder.error() == ENOENT) return {};
  if (!folder) return FailPath(folder.error(), path);
  if (::unlinkat(folder->get(), path.c_str() + slash + 1, 0) != 0 && errno != ENOENT)
    return FailPath(errno, path);
  return {};
}

std::optional<FileStamp> TaskFolder::StampOf(const std::string& path) const {
  const auto file = CheckPath(path) ? root_.OpenAt(path, O_PATH) : std::unexpected(EINVAL);
  struct stat status{};
  if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return FileStamp{status.st_ino, static_cast<std::uint64_t>(status.st_size),
                   status.st_mtim.tv_sec * kSecond + status.st_mtim.tv_nsec,
                   status.st_ctim.tv_sec * kSecond + status.st_ctim.tv_nsec};
}

bool TaskFolder::WalkFolder(const std::string& path, int depth,
                            const std::function<bool(const FolderEntry&)>& visit) const {
  auto folder = root_.OpenAt(path, O_RDONLY | O_DIRECTORY);
  if (!folder || depth > kDeepest) return true;
  DIR* stream = ::fdopendir(::fcntl(folder->get(), F_DUPFD_CLOEXEC, 0));
  if (stream == nullptr) return true;
  std::vector<FolderEntry> entries;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    struct stat status{};
    if (name.starts_with('.') || ::fstatat(folder->get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) continue;
    entries.push_back(
        {Joined(path, name), static_cast<std::uint64_t>(status.st_size), S_ISDIR(status.st_mode)});
  }
  ::closedir(stream);
  std::ranges::sort(entries, {}, &FolderEntry::path);
  return std::ranges::all_of(entries, [&](const FolderEntry& entry) {
    return visit(entry) && (!entry.is_folder || WalkFolder(entry.path, depth + 1, visit));
  });
}

Result<void> TaskFolder::Walk(const std::string& given,
                              const std::function<bool(const FolderEntry&)>& visit) const {
  std::string path = Relative(given);
  while (path.ends_with('/')) path.pop_back();
  TRY(CheckPath(path));
  if (!path.empty()) TRY(OpenFolder(path));
  WalkFolder(path, 0, visit);
  return {};
}

Result<void> TaskFolder::GiveTo(unsigned user) const {
  // The folders above keep others out; here the program reads what it was given.
  if (::fchmod(root_.fd(), kFolderMode) != 0) return FailPath(errno, ".");
  WalkFolder("inputs", 0, [&](const FolderEntry& entry) {
    const auto opened = root_.OpenAt(entry.path, O_RDONLY | O_NONBLOCK);
    if (opened) (void)::fchmod(opened->get(), entry.is_folder ? kFolderMode : kFileMode);
    return true;
  });
  if (const auto inputs = root_.OpenAt("inputs", O_RDONLY | O_DIRECTORY))
    (void)::fchmod(inputs->get(), kFolderMode);
  for (const char* part : {"outputs", "work"}) {
    const FileDescriptor folder = TRY(OpenFolder(part));
    if (::fchown(folder.get(), user, user) != 0) return FailPath(errno, part);
    WalkFolder(part, 0, [&](const FolderEntry& entry) {
      const auto opened = root_.OpenAt(entry.path, O_RDONLY | O_NONBLOCK);
      struct stat status{};
      // A second name may belong to something else.
      const bool own =
          opened && ::fstat(opened->get(), &status) == 0 && (entry.is_folder || status.st_nlink == 1);
      if (own) (void)::fchown(opened->get(), user, user);
      return true;
    });
  }
  return {};
}

}  // namespace agenttalk
