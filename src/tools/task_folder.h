#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/ids.h"
#include "base/posix_root.h"

namespace agenttalk {

// What the kernel says of a file; the same again means that nobody has touched it since.
struct FileStamp {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileStamp&) const = default;
};

// One file below a task's folder.
struct FolderEntry {
  std::string path;  // "work/notes/a.md"
  std::uint64_t size = 0;
  bool is_folder = false;
};

// The part of the world that an agent's tools see while it works on one command:
// agents/<agent>/workspace/<plan>/<command> with inputs/ (to be read), outputs/ and work/. Paths come from
// models: they are resolved by the kernel beneath this folder, without links, and files with a second name
// are refused.
class TaskFolder {
 public:
  // Makes the folder where it is missing.
  static Result<TaskFolder> Open(const std::filesystem::path& hub, const AgentId& agent, const PlanId& plan,
                                 const CommandId& command);

  [[nodiscard]] const std::string& directory() const { return root_.directory(); }

  // TOO_LARGE beyond `limit` bytes.
  [[nodiscard]] Result<std::string> Read(const std::string& path, std::size_t limit) const;
  // Replaces what is there; below outputs/ or work/ only.
  [[nodiscard]] Result<void> Write(const std::string& path, std::string_view bytes) const;
  // The same for the program itself, which fills inputs/ too.
  [[nodiscard]] Result<void> Place(const std::string& path, std::string_view bytes) const;
  // A file that is not there is removed already.
  [[nodiscard]] Result<void> Remove(const std::string& path) const;
  // Nothing: there is no ordinary file of this name.
  [[nodiscard]] std::optional<FileStamp> StampOf(const std::string& path) const;
  // Lets a program that runs as this user change what it may: all below outputs/ and work/.
  [[nodiscard]] Result<void> GiveTo(unsigned user) const;
  // Everything below `path` ("" for all), parents before what is in them, in order of name; `visit` returns
  // false to end it. Links and other special files are left out.
  [[nodiscard]] Result<void> Walk(const std::string& path,
                                  const std::function<bool(const FolderEntry&)>& visit) const;

 private:
  explicit TaskFolder(PosixRoot root) : root_(std::move(root)) {}
  [[nodiscard]] Result<void> MakeFolder(const std::string& path) const;
  [[nodiscard]] Result<FileDescriptor> OpenFolder(const std::string& path) const;
  bool WalkFolder(const std::string& path, int depth,
                  const std::function<bool(const FolderEntry&)>& visit) const;

  PosixRoot root_;
};

}  // namespace agenttalk
