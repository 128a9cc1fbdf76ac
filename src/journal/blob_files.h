#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/error.h"

namespace agenttalk {

// Contents too large for the database: `blobs/ab/cdef…`, named by their SHA-256. A file counts only when a
// committed row of the blobs table names it; what a crash left over is replaced when the content comes again.
class BlobFiles {
 public:
  // Contents above this size are files.
  static constexpr std::uint64_t kSmallest = (std::uint64_t{1} << 20) + 1;

  explicit BlobFiles(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // For the writer: makes the folders and removes unfinished files.
  Result<void> Prepare() const;
  // Durable when it returns. The caller has checked that no committed row names it yet.
  Result<void> Store(const Digest& digest, std::string_view bytes) const;
  // JOURNAL_DAMAGED when the file is missing or is not what its name says.
  [[nodiscard]] Result<std::string> Load(const Digest& digest, std::uint64_t size) const;
  // No committed row names it any more. What cannot be removed only takes space.
  void Remove(const Digest& digest) const;

 private:
  [[nodiscard]] std::filesystem::path PathOf(const Digest& digest) const;

  std::filesystem::path directory_;
};

}  // namespace agenttalk
