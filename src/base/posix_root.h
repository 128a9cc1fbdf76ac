#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"

// How the program reaches into folders that others write to: every open is resolved by the kernel beneath the
// root, without symbolic links.
namespace agenttalk {

// The failure `number` (an errno) of something done to `what`, as a code that callers react to.
[[nodiscard]] std::unexpected<Error> FailFile(int number, const std::string& what);

class PosixRoot {
 public:
  // The root itself may be reached through links: where the hub lies is its owner's decision.
  static Result<PosixRoot> Open(const std::string& directory);

  PosixRoot(PosixRoot&& other) noexcept
      : root_(std::move(other.root_)),
        directory_(std::move(other.directory_)),
        openat2_(other.openat2_.load()) {}
  PosixRoot& operator=(PosixRoot&&) = delete;

  // O_CLOEXEC and O_NOFOLLOW are implied. On failure the errno is the error.
  [[nodiscard]] std::expected<FileDescriptor, int> OpenAt(const std::string& path, int flags,
                                                          mode_t mode = 0) const;
  // The bytes of an ordinary file, at most `limit` of them (TOO_LARGE); links, FIFOs and the like are
  // FILE_UNSAFE.
  [[nodiscard]] Result<std::string> ReadFile(const std::string& path, std::size_t limit) const;
  // The folder at `path`, made with what leads to it where it is missing. Nothing on the way may be a link.
  [[nodiscard]] Result<FileDescriptor> MakeFolder(const std::string& path) const;
  // The names in a folder, in order, without those that begin with a dot; nothing where there is no such
  // folder.
  [[nodiscard]] std::vector<std::string> NamesIn(const std::string& path) const;
  // The same way of reaching into a folder below.
  [[nodiscard]] Result<PosixRoot> Below(const std::string& path) const;
  [[nodiscard]] int fd() const { return root_.get(); }
  [[nodiscard]] const std::string& directory() const { return directory_; }

  // For kernels and sandboxes without openat2, and for testing that way: one openat per part of the path.
  void UseOpenat2(bool use) { openat2_ = use; }

 private:
  PosixRoot(FileDescriptor root, std::string directory)
      : root_(std::move(root)), directory_(std::move(directory)) {}
  [[nodiscard]] std::expected<FileDescriptor, int> OpenStepwise(const std::string& path, int flags,
                                                                mode_t mode) const;

  FileDescriptor root_;
  std::string directory_;
  mutable std::atomic<bool> openat2_{true};  // turned off for good by the first refusal of the system call
};

}  // namespace agenttalk
