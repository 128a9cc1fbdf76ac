#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "journal/sqlite_journal.h"

// `.agenttalk/`, the part of a hub that is the program's own.
namespace agenttalk {

std::filesystem::path HomeOf(const std::filesystem::path& hub);
std::filesystem::path SocketOf(const std::filesystem::path& hub);

// What a process possesses a hub for: to serve it, or to record one thing.
enum class Purpose : std::uint8_t { kServe, kRecord };

// Takes possession of the hub's journal, which ends with the process. HUB_LOCKED says who has it. The lock
// alone decides; `holder.json` beside it says who it is, and whether it is worth waiting a moment.
Result<std::unique_ptr<SqliteJournal>> TakeJournal(const std::filesystem::path& hub, Purpose purpose);

// Who has the hub at the moment, in words; nothing when nobody has.
Result<std::optional<std::string>> HolderOf(const std::filesystem::path& hub);

// The process that has it, as far as it says so.
std::optional<pid_t> HolderProcess(const std::filesystem::path& hub);

// From the kernel: for keys and links.
Result<std::string> RandomBytes(std::size_t count);

// A secret of this hub, made when it is first asked for.
Result<std::string> FenceKey(const std::filesystem::path& hub);

}  // namespace agenttalk
