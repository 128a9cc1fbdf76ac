#include "mailbox/disposal.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "mailbox/file_system.h"
#include "mailbox/place.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMaxLetterName = 100;  // leaves room for a suffix and ".reason.json"
constexpr std::size_t kMaxReasonBytes = std::size_t{64} << 10;
constexpr int kMaxLetterNames = 1000;

enum class Presence : std::uint8_t { kSame, kGone, kReplaced };

Result<Presence> Look(FileSystem& files, const FileFingerprint& file, const std::string& path) {
  const auto stat = TRY(files.Stat(path));
  if (!stat) return Presence::kGone;
  return IsSameFile(file, *stat) ? Presence::kSame : Presence::kReplaced;
}

// Somebody may have put another file there between our look and the move: what was moved is looked at again,
// and put back if it is not the one.
Result<Disposal> ConfirmMove(FileSystem& files, const FileFingerprint& file, const std::string& to,
                             std::uint64_t event_number) {
  if (TRY(Look(files, file, to)) != Presence::kReplaced) return Disposal::kMoved;
  TRY(MoveAside(files, to, PathOf(file), event_number));
  return Disposal::kReplaced;
}

// What is written from the journal may be where the file belongs: a power cut can undo the move and keep
// that.
Result<bool> HoldsSame(FileSystem& files, const FileFingerprint& file, const std::string& path) {
  const auto stat = TRY(files.Stat(path));
  if (!stat || stat->size != file.size) return false;
  const WholeFile whole = TRY(ReadWhole(files, path, file.size));
  return whole.report.outcome == ReadOutcome::kComplete && Sha256(whole.bytes) == file.sha256;
}

std::string ReasonPath(const std::string& letter) {
  return letter + ".reason.json";
}

std::string ReasonText(const FileFingerprint& file, const Refusal& refusal, std::uint64_t event_number) {
  boost::json::object reason;
  reason["code"] = ToString(refusal.code);
  reason["message"] = PrintablePath(refusal.message);
  reason["hint"] = PrintablePath(refusal.hint);
  reason["from"] = PrintablePath(PathOf(file));
  reason["at"] = ToRfc3339(refusal.at);
  reason["seq"] = event_number;
  return PrettyJson(reason);
}

enum class ReasonState : std::uint8_t { kMissing, kOwn, kForeign, kTorn };

Result<ReasonState> LookAtReason(FileSystem& files, const std::string& path, std::uint64_t event_number) {
  const WholeFile whole = TRY(ReadWhole(files, path, kMaxReasonBytes));
  if (whole.report.outcome == ReadOutcome::kGone) return ReasonState::kMissing;
  if (whole.report.outcome != ReadOutcome::kComplete) return ReasonState::kForeign;
  const auto value = ParseJson(whole.bytes);
  if (!value || !value->is_object()) return ReasonState::kTorn;
  const auto* seq = value->as_object().if_contains("seq");
  const bool own =
      seq != nullptr && seq->is_number() && seq->to_number<double>() == static_cast<double>(event_number);
  return own ? ReasonState::kOwn : ReasonState::kForeign;
}

// A crash may have left a reason without its file. One that is torn may also be a refused file of that name,
// but then it has a reason itself.
Result<bool> IsFreeLetter(FileSystem& files, const std::string& letter, std::uint64_t event_number) {
  if (TRY(files.Stat(letter))) return false;
  const std::string reason = ReasonPath(letter);
  switch (TRY(LookAtReason(files, reason, event_number))) {
    case ReasonState::kMissing:
    case ReasonState::kOwn:
      return true;
    case ReasonState::kTorn:
      return !TRY(files.Stat(ReasonPath(reason)));
    case ReasonState::kForeign:
      break;
  }
  return false;
}

// The paths a refused file may have, in the order they are tried.
std::string LetterPath(const FileFingerprint& file, const PlanId& plan, std::uint64_t event_number,
                       int attempt) {
  std::string name = DeadLetterName(file.name);
  if (attempt == 1) name = WithSuffix(name, fmt::to_string(event_number));
  if (attempt > 1) name = WithSuffix(name, fmt::format("{}-{}", event_number, attempt));
  return JoinPath(DeadLetterFolder(plan), name);
}

// The file is not where it was. If it is among the dead letters, its reason, which is not synced, may have
// been lost in the power cut that brought us here.
Result<Disposal> MendReason(FileSystem& files, const FileFingerprint& file, const PlanId& plan,
                            const Refusal& refusal, std::uint64_t event_number) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string letter = LetterPath(file, plan, event_number, attempt);
    if (TRY(Look(files, file, letter)) != Presence::kSame) continue;
    if (TRY(LookAtReason(files, ReasonPath(letter), event_number)) == ReasonState::kOwn) break;
    TRY(files.Publish(ReasonPath(letter), ReasonText(file, refusal, event_number),
                      {.replace = true, .durable = false}));
  }
  return Disposal::kGone;
}

Result<Disposal> MoveToLetter(FileSystem& files, const FileFingerprint& file, const std::string& letter,
                              const Refusal& refusal, std::uint64_t event_number) {
  // The reason comes first: a file among the dead letters always has one.
  TRY(PublishInto(files, ReasonPath(letter), ReasonText(file, refusal, event_number),
                  {.replace = true, .durable = false}));
  const auto moved = files.Move(PathOf(file), letter);
  Disposal disposal = Disposal::kGone;
  if (moved) {
    disposal = TRY(ConfirmMove(files, file, letter, event_number));
  } else if (moved.error().code != ErrorCode::kNotFound) {
    return std::unexpected(moved.error());
  }
  if (disposal != Disposal::kMoved) TRY(files.Remove(ReasonPath(letter)));
  return disposal;
}

bool IsPlain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
}

}  // namespace

Result<Disposal> CompleteFile(FileSystem& files, const FileFingerprint& file, const PlanId& plan,
                              std::uint64_t event_number) {
  const auto place = Place::FromPath(file.directory);
  if (!place) return Fail(ErrorCode::kNameUnsafe, PrintablePath(file.directory) + " is not a box");
  switch (TRY(Look(files, file, PathOf(file)))) {
    case Presence::kGone:
      return Disposal::kGone;
    case Presence::kReplaced:
      return Disposal::kReplaced;
    case Presence::kSame:
      break;
  }
  const std::string to = JoinPath(ProcessedFolder(*place, plan), file.name);
  const auto moved = MoveAside(files, PathOf(file), to, event_number);
  if (!moved) {
    if (moved.error().code == ErrorCode::kNotFound) return Disposal::kGone;
    return std::unexpected(moved.error());
  }
  const Disposal disposal = TRY(ConfirmMove(files, file, *moved, event_number));
  const bool twice = disposal == Disposal::kMoved && event_number == kTakenInBefore && *moved != to;
  if (twice && TRY(HoldsSame(files, file, to))) TRY(files.Remove(*moved));
  return disposal;
}

Result<Disposal> RefuseFile(FileSystem& files, const FileFingerprint& file, const PlanId& plan,
                            const Refusal& refusal, std::uint64_t event_number) {
  switch (TRY(Look(files, file, PathOf(file)))) {
    case Presence::kGone:
      return MendReason(files, file, plan, refusal, event_number);
    case Presence::kReplaced:
      return Disposal::kReplaced;
    case Presence::kSame:
      break;
  }
  for (int attempt = 0; attempt < kMaxLetterNames; ++attempt) {
    const std::string letter = LetterPath(file, plan, event_number, attempt);
    if (TRY(IsFreeLetter(files, letter, event_number))) {
      return MoveToLetter(files, file, letter, refusal, event_number);
    }
  }
  return Fail(ErrorCode::kAlreadyExists, "no free name among the dead letters");
}

std::string DeadLetterName(std::string_view name) {
  if (IsSafeName(name) && name.size() <= kMaxLetterName) return std::string(name);
  std::string safe;
  for (const char c : name.substr(0, 60)) {
    safe.push_back(IsSafeName(std::string_view(&c, 1)) || c == '.' || c == '-' || c == '_' ? c : '_');
  }
  while (safe.find("..") != std::string::npos) safe.replace(safe.find(".."), 2, "._");
  return fmt::format("unsafe-{}-{}", Sha256(name).Hex().substr(0, 8), safe);
}

std::string PrintablePath(std::string_view path) {
  if (IsUtf8(path) && std::ranges::all_of(path, IsPlain)) return std::string(path);
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      text.push_back(c);
    } else {
      fmt::format_to(std::back_inserter(text), "\\x{:02X}", byte);
    }
  }
  return text;
}

}  // namespace agenttalk
