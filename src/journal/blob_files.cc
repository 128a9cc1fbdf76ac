#include "journal/blob_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "journal/durable_file.h"

namespace agenttalk {

std::filesystem::path BlobFiles::PathOf(const Digest& digest) const {
  const std::string hex = digest.Hex();
  return directory_ / hex.substr(0, 2) / hex.substr(2);
}

Result<void> BlobFiles::Prepare() const {
  TRY(MakeDirectoryDurably(directory_));
  TRY(MakeDirectoryDurably(directory_ / "tmp"));
  std::error_code ignored;  // a leftover that cannot be removed only takes space
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "tmp", ignored)) {
    std::filesystem::remove(entry.path(), ignored);
  }
  return {};
}

Result<void> BlobFiles::Store(const Digest& digest, std::string_view bytes) const {
  const std::filesystem::path target = PathOf(digest);
  TRY(MakeDirectoryDurably(target.parent_path()));
  return WriteFileDurably(directory_ / "tmp" / digest.Hex(), target, bytes);
}

void BlobFiles::Remove(const Digest& digest) const {
  std::error_code ignored;
  std::filesystem::remove(PathOf(digest), ignored);
}

Result<std::string> BlobFiles::Load(const Digest& digest, std::uint64_t size) const {
  const std::filesystem::path path = PathOf(digest);
  Result<std::string> bytes = ReadFileUpTo(path, size + 1);
  if (!bytes && bytes.error().code != ErrorCode::kNotFound) return bytes;
  if (bytes && bytes->size() == size && Sha256(*bytes) == digest) return bytes;
  return Fail(ErrorCode::kJournalDamaged,
              fmt::format("blob file {} is {}", path.string(), bytes ? "not what was stored" : "missing"),
              "restore the file from a backup");
}

}  // namespace agenttalk
