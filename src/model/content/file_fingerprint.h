#pragma once

#include <cstdint>
#include <string>

#include "base/digest.h"

namespace agenttalk {

// Which file an event was taken from; the same fingerprint seen again is the same file, not a new one.
struct FileFingerprint {
  std::string directory;  // relative to the hub
  std::string name;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::uint64_t size = 0;
  Digest sha256;

  bool operator==(const FileFingerprint&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("directory", self.directory), f("name", self.name), f("inode", self.inode);
    f("mtime_ns", self.mtime_ns), f("size", self.size), f("sha256", self.sha256);
  }
};

}  // namespace agenttalk
