#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file_descriptor.h"

// Files that are the truth: on the disk, with their directory entries, before anybody relies on them.
namespace agenttalk {

// Makes the directory if it is missing and its entry durable either way. Parents must exist.
Result<void> MakeDirectoryDurably(const std::filesystem::path& directory);
Result<void> SyncDirectory(const std::filesystem::path& directory);

// Writes `temporary`, syncs it, renames it to `target` (replacing what an interrupted attempt may have left)
// and syncs the target's directory. DISK_FULL: nothing is left behind. A failed sync is IO, whatever errno
// says: the state of the disk is unknown then.
Result<void> WriteFileDurably(const std::filesystem::path& temporary, const std::filesystem::path& target,
                              std::string_view bytes);

// NOT_FOUND when it is missing; more than `limit` bytes are not read.
Result<std::string> ReadFileUpTo(const std::filesystem::path& file, std::uint64_t limit);

// An exclusive lock that ends with the process, however it ends. HUB_LOCKED: somebody else has it.
Result<FileDescriptor> LockFile(const std::filesystem::path& file);
// Does somebody have that lock? Does not take it.
Result<bool> IsLocked(const std::filesystem::path& file);

}  // namespace agenttalk
