#include "runtime/files/file_comparison.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/time.h"
#include "mailbox/file_system.h"
#include "mailbox/line_tail.h"
#include "mailbox/mirror.h"
#include "model/content/content.h"
#include "runtime/files/file_sink.h"

namespace agenttalk {
namespace {

// Longer than any line that ends a log.
constexpr std::uint64_t kLogTailBytes = std::uint64_t{4} << 20;

Result<std::optional<FileDifference::Kind>> CompareFile(FileSystem& files, Mirror& mirror,
                                                        const std::string& path,
                                                        const FileSet::Wanted& file) {
  using Kind = FileDifference::Kind;
  if (std::holds_alternative<FileSet::Removed>(file.what)) {
    if (!TRY(files.Stat(path))) return std::nullopt;
    return file.overwrite == Overwrite::kOwnOnly ? Kind::kNewer : Kind::kExtra;
  }
  const auto* content = std::get_if<Content>(&file.what);
  std::string made;
  if (const auto* make = std::get_if<FileMaker>(&file.what)) {
    auto bytes = TRY((*make)());
    if (!bytes) return std::nullopt;
    made = *std::move(bytes);
  } else if (content == nullptr) {
    made = std::get<std::string>(file.what);
  }
  const Digest digest = content != nullptr ? content->digest : Sha256(made);
  const std::uint64_t size = content != nullptr ? content->size : made.size();
  switch (TRY(mirror.Compare(path, digest, size))) {
    case MirrorState::kSame:
      return std::nullopt;
    case MirrorState::kMissing:
      return Kind::kMissing;
    case MirrorState::kDiffers:
      break;
  }
  return file.overwrite == Overwrite::kOwnOnly ? Kind::kNewer : Kind::kDiffers;
}

Result<std::optional<FileDifference::Kind>> CompareLog(FileSystem& files, const std::string& path,
                                                       const FileSet::Lines& lines) {
  using Kind = FileDifference::Kind;
  const auto tail = files.ReadTail(path, kLogTailBytes);
  if (!tail && tail.error().code == ErrorCode::kNotFound) return Kind::kMissing;
  if (!tail) return std::unexpected(tail.error());
  const auto last = InspectTail(tail->bytes, tail->offset == 0).last_seq;
  if (last != lines.last.seq) return Kind::kDiffers;
  // Of a log that was set aside only the end can be told.
  const std::uint64_t size = tail->offset + tail->bytes.size();
  if (size < lines.bytes && TRY(files.Stat(Mirror::RotatedPath(path, 1)))) return std::nullopt;
  if (size != lines.bytes) return Kind::kDiffers;
  std::uint32_t crc = 0;
  const ReadReport report = TRY(files.Read(path, lines.bytes, [&crc](std::string_view piece) -> Result<void> {
    crc = Crc32c(piece, crc);
    return {};
  }));
  return report.outcome == ReadOutcome::kComplete && crc == lines.crc ? std::nullopt
                                                                      : std::optional(Kind::kDiffers);
}

}  // namespace

Result<FileComparison> CompareFiles(const FileSet& wanted, FileSystem& files, Mirror& mirror) {
  FileComparison comparison;
  const auto note = [&](const std::string& path, std::optional<FileDifference::Kind> kind) {
    ++comparison.checked;
    if (kind) comparison.differences.push_back({path, *kind});
  };
  for (const auto& [path, file] : wanted.files()) note(path, TRY(CompareFile(files, mirror, path, file)));
  for (const auto& [path, lines] : wanted.lines()) {
    if (wanted.logs_are_partial() && path.starts_with("agents/")) continue;
    note(path, TRY(CompareLog(files, path, lines)));
  }
  return comparison;
}

}  // namespace agenttalk
