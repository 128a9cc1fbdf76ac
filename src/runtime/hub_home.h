#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"
#include "journal/sqlite_journal.h"

// `.agenttalk/`, the part of a hub that is the program's own.
namespace agenttalk {

std::filesystem::path HomeOf(const std::filesystem::path& hub);
std::filesystem::path SocketOf(const std::filesystem::path& hub);

// Takes possession of the hub's journal, which ends with the process. HUB_LOCKED says who has it: the lock
// alone decides that, `holder.json` beside it is only for the message. `purpose` is what the holder does.
Result<std::unique_ptr<SqliteJournal>> TakeJournal(const std::filesystem::path& hub,
                                                   const std::string& purpose);

// A secret of this hub, made when it is first asked for.
Result<std::string> FenceKey(const std::filesystem::path& hub);

}  // namespace agenttalk
