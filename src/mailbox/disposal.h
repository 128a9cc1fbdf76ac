#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "mailbox/file_system.h"
#include "model/events/event.h"

// What happens to a file once the journal knows of it. Each of these may be repeated: after a power cut a
// moved file can be back, and is then moved again. Only the file that was journaled is ever moved; one that
// has taken its place in between is new and stays.
namespace agenttalk {

enum class Disposal : std::uint8_t {
  kMoved,
  kGone,      // nothing there: moved before, or taken away by somebody
  kReplaced,  // another file is there now; it was left alone
};

struct Refusal {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint;
  Timestamp at;
};

// Instead of an event's number: the file was taken in by a process before this one.
inline constexpr std::uint64_t kTakenInBefore = 0;

// Moves a command that was taken in to `.processed/<plan>`; a taken name gets the event's number.
[[nodiscard]] Result<Disposal> CompleteFile(FileSystem& files, const FileFingerprint& file,
                                            const PlanId& plan, std::uint64_t event_number);

// Moves a file, link, FIFO or folder, never what it points to, to the dead letters, with its reason beside
// it.
[[nodiscard]] Result<Disposal> RefuseFile(FileSystem& files, const FileFingerprint& file, const PlanId& plan,
                                          const Refusal& refusal, std::uint64_t event_number);

// The name a file gets among the dead letters: its own, if that is a safe one of moderate length.
[[nodiscard]] std::string DeadLetterName(std::string_view name);

// A path as text: what is not printable UTF-8 is written as \xNN.
[[nodiscard]] std::string PrintablePath(std::string_view path);

}  // namespace agenttalk
