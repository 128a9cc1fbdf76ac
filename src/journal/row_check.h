#pragma once

#include <cstdint>
#include <expected>

#include "base/digest.h"
#include "base/error.h"
#include "journal/journal.h"

namespace agenttalk {

// Does `row` continue the journal and its stream exactly? VERSION_CONFLICT says what was expected.
Result<void> CheckContinues(const JournalRow& row, std::uint64_t last_event, std::uint64_t last_version);

// A snapshot may not run ahead of the stream that it shortens.
Result<void> CheckCovered(const Snapshot& snapshot, std::uint64_t last_event, std::uint64_t last_version);

// The refusal that a holder of an older (or never given) epoch gets.
Error FencedError(std::uint64_t given, std::uint64_t current);

std::unexpected<Error> ContentMissing(const Digest& digest);

}  // namespace agenttalk
