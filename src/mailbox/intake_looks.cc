// The half of Intake that judges one file.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "mailbox/deferrals.h"
#include "mailbox/file_system.h"
#include "mailbox/intake.h"
#include "mailbox/place.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// Where leases cannot tell, a file counts as complete when it has not changed for so long.
constexpr Duration kQuietTime = std::chrono::milliseconds(200);

Error NameError() {
  return {.code = ErrorCode::kNameUnsafe,
          .message = "the name is not one of up to 128 letters, digits, '.', '_' and '-'",
          .hint = "rename it: it must start with a letter or digit and must not contain '..'"};
}

Error TypeError(const FileStat& stat) {
  const std::string_view what =
      stat.type == FileType::kSymlink ? "a symbolic link" : "no regular file (a FIFO, socket or device)";
  return {.code = ErrorCode::kFileUnsafe,
          .message = fmt::format("it is {}", what),
          .hint = "copy the file itself into the folder"};
}

Error FolderError(const std::string& name) {
  if (!IsSafeName(name)) return NameError();
  return {.code = ErrorCode::kFileUnsafe,
          .message = "folders are not taken in here",
          .hint = "put the files directly into the plan's folder"};
}

Error LinkError() {
  return {.code = ErrorCode::kFileUnsafe,
          .message = "the file has a second name (a hard link), which may lie outside the hub",
          .hint = "copy the file instead of linking it"};
}

Error SizeError(std::uint64_t size, std::uint64_t limit) {
  return {.code = ErrorCode::kTooLarge,
          .message = fmt::format("the file has {} bytes, {} are allowed", size, limit),
          .hint = "make it smaller, or raise the limit in agenttalk.yaml"};
}

Error WritingError() {
  return {.code = ErrorCode::kFileUnsafe,
          .message = "the file was still being written after a full heartbeat",
          .hint = "write to a name that ends in .tmp and rename it when it is complete"};
}

Error AccessError(const Error& cause) {
  return {.code = ErrorCode::kFileUnsafe,
          .message = "the file cannot be read: " + cause.message,
          .hint = "let the user that runs the hub read it"};
}

}  // namespace

std::uint64_t Intake::LimitFor(const std::string& name) const {
  return IsCommandName(name) || IsMessageName(name) ? options_.max_command_bytes : options_.max_input_bytes;
}

bool Intake::IsOffered(const Subject& subject) const {
  const auto found = offered_.find(subject.path);
  return found != offered_.end() && IsSameFile(found->second, subject.stat);
}

void Intake::LookAt(const Look& look, IntakeBatch& batch) {
  const auto found = folders_.find(look.directory);
  if (found == folders_.end() || IsIgnoredName(look.name)) return;
  Folder& folder = found->second;
  const std::string path = JoinPath(look.directory, look.name);
  // Our own file, which need not be looked at, unless a stranger's was there before.
  const bool own = look.noticed && known_.TakeExpected(look.directory, look.name);
  if (own && look.finished && offered_.empty() && deferrals_.size() == 0) return;
  // What it is now is seen when it is watched and listed.
  if (look.is_directory && AddPlanFolder(folder, look.name)) return deferrals_.Forget(path);
  const auto stat = files_.Stat(path);
  if (!stat) {
    // The folder's trouble, not the file's: the next sweep looks again.
    folder.seen = {};
    folder.newest_change_ns = 0;
    Report(look.directory, folder, stat.error(), batch);
    return;
  }
  if (!*stat) {
    deferrals_.Forget(path);
    offered_.erase(path);
    release_waits_.erase(path);
    return;
  }
  const Subject subject{.folder = folder,
                        .directory = look.directory,
                        .name = look.name,
                        .path = path,
                        .stat = **stat,
                        .finished = look.finished,
                        .noticed = look.noticed};
  if (IsOffered(subject)) return;
  if (subject.stat.type == FileType::kDirectory) {
    LookAtFolder(subject, batch);
  } else {
    LookAtFile(subject, batch);
  }
}

// False: no plan can have a folder of this name here.
bool Intake::AddPlanFolder(const Folder& box, const std::string& name) {
  if (box.place.box == Box::kHumanOutbox || !box.place.plan.empty() || !IsSafeName(name)) return false;
  Place place = box.place;
  place.plan = PlanId(name);
  AddFolder(place, box.heartbeat);
  return true;
}

void Intake::LookAtFolder(const Subject& subject, IntakeBatch& batch) {
  if (AddPlanFolder(subject.folder, subject.name)) {
    deferrals_.Forget(subject.path);
  } else {
    // People make "New folder" first and give it its name afterwards.
    Defer(subject, FolderError(subject.name), batch);
  }
}

void Intake::LookAtFile(const Subject& subject, IntakeBatch& batch) {
  const FileStat& stat = subject.stat;
  if (!IsSafeName(subject.name)) return OfferRefused(subject, NameError(), batch);
  if (stat.type != FileType::kRegular) return OfferRefused(subject, TypeError(stat), batch);
  if (known_.Knows(subject.directory, subject.name, stat)) return deferrals_.Forget(subject.path);
  if (stat.links > 1) return Defer(subject, LinkError(), batch);
  if (stat.size > LimitFor(subject.name)) {
    return OfferRefused(subject, SizeError(stat.size, LimitFor(subject.name)), batch);
  }
  const auto read = ReadFile(subject, batch);
  if (read) return;
  if (read.error().code == ErrorCode::kPermissionDenied)
    return Defer(subject, AccessError(read.error()), batch);
  // The disk's trouble: a good file is not refused for it, however long it lasts.
  deferrals_.Defer(subject.path, stat, now_, subject.folder.heartbeat);
  batch.problems.push_back({.path = subject.path, .error = read.error()});
}

Result<void> Intake::ReadFile(const Subject& subject, IntakeBatch& batch) {
  Sha256Stream hash;
  std::optional<std::string> bytes(std::in_place);
  const ReadReport report =
      TRY(files_.Read(subject.path, LimitFor(subject.name), [&](std::string_view piece) {
        hash.Update(piece);
        if (bytes && bytes->size() + piece.size() > options_.inline_bytes) bytes.reset();
        if (bytes) bytes->append(piece);
        return Result<void>();
      }));
  switch (report.outcome) {
    case ReadOutcome::kComplete:
      break;
    case ReadOutcome::kGone:
      deferrals_.Forget(subject.path);
      return {};
    case ReadOutcome::kNotRegular:
      OfferRefused(subject, TypeError(report.stat), batch);
      return {};
    case ReadOutcome::kHardLinked:
      Defer(subject, LinkError(), batch);
      return {};
    case ReadOutcome::kTooLarge:
      OfferRefused(subject, SizeError(report.stat.size, LimitFor(subject.name)), batch);
      return {};
    case ReadOutcome::kBeingWritten:
    case ReadOutcome::kChanged:
      Defer(subject, WritingError(), batch);
      return {};
  }
  batch_bytes_ += report.stat.size;
  const Digest digest = hash.Finish();
  const bool quiet = subject.finished || report.writers_known ||
                     deferrals_.QuietFor(subject.path, report.stat, now_) >= kQuietTime;
  if (!quiet) {
    Defer(subject, WritingError(), batch);
    return {};
  }
  deferrals_.Forget(subject.path);
  if (known_.KnowsContent(subject.directory, subject.name, report.stat, digest)) return {};
  FileFingerprint fingerprint = MakeFingerprint(subject.directory, subject.name, report.stat, digest);
  offered_[subject.path] = fingerprint;
  batch.found.push_back({.place = subject.folder.place,
                         .fingerprint = std::move(fingerprint),
                         .bytes = std::move(bytes),
                         .noticed = subject.noticed});
  return {};
}

void Intake::Defer(const Subject& subject, const Error& reason, IntakeBatch& batch) {
  const auto verdict = deferrals_.Defer(subject.path, subject.stat, now_, subject.folder.heartbeat);
  if (verdict == Deferrals::Verdict::kGiveUp) OfferRefused(subject, reason, batch);
}

void Intake::OfferRefused(const Subject& subject, const Error& reason, IntakeBatch& batch) {
  deferrals_.Forget(subject.path);
  FileFingerprint fingerprint = MakeFingerprint(subject.directory, subject.name, subject.stat, Digest{});
  offered_[subject.path] = fingerprint;
  batch.refused.push_back({.place = subject.folder.place,
                           .fingerprint = std::move(fingerprint),
                           .code = reason.code,
                           .message = reason.message,
                           .hint = reason.hint});
}

}  // namespace agenttalk
