#include "runtime/retention/plan_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "journal/durable_file.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/stored_request.h"
#include "runtime/history/history_reader.h"
#include "runtime/retention/archived_events.h"
#include "runtime/retention/garbage.h"
#include "runtime/retention/plan_files.h"
#include "runtime/retention/tar_file.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::uint64_t kFormat = 1;
constexpr const char* kManifest = "agenttalk-plan.json";
constexpr const char* kEvents = "events";
constexpr std::string_view kContents = "contents/";
constexpr std::string_view kFiles = "files/";
constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;
// Numbers of events that every reader of JSON keeps exactly. The hub's own continue behind them, and have
// room: the journal's reach a thousand times as far.
constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 53;

void EncodeRow(const JournalRowView& row, ByteWriter& writer) {
  writer.Varint(row.first_event);
  writer.Varint(row.event_count);
  writer.Bytes(row.events);
}

// Everything of a plan but its files, named in the order of its events.
struct Inventory {
  std::uint64_t events = 0;
  std::uint64_t first_event = 0;
  std::uint64_t last_event = 0;
  std::uint64_t bytes = 0;  // of the rows
  Digest digest;            // of the rows
  std::vector<Content> contents;
};

Result<Inventory> TakeStock(Journal& journal, const PlanId& plan) {
  Inventory stock;
  Sha256Stream hash;
  std::unordered_set<Digest> seen;
  const ContentLoader load = LoadFrom(journal);
  Result<void> named;
  TRY(journal.ReadStream(plan, 0, [&](const JournalRowView& row) {
    ByteWriter writer;
    EncodeRow(row, writer);
    hash.Update(writer.str());
    stock.bytes += writer.str().size();
    stock.events += row.event_count;
    if (stock.first_event == 0) stock.first_event = row.first_event;
    stock.last_event = row.first_event + row.event_count - 1;
    const auto decoded =
        DecodeEvents(plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
          if (!named) return;
          named = ForEachNamed(load, event, [&](const Content& content) {
            if (seen.insert(content.digest).second) stock.contents.push_back(content);
          });
        });
    if (!decoded) named = decoded;
    return named.has_value();
  }));
  TRY(std::move(named));
  stock.digest = hash.Finish();
  return stock;
}

// What is too large for the hub's own limits, or went meanwhile, is left out: no event needs it. Everything
// else has to be there: the plan may be removed because it was archived.
Result<std::uint64_t> AddFiles(const fs::path& hub, const PlanId& plan, std::uint64_t most, TarWriter& tar) {
  std::uint64_t count = 0;
  for (const std::string& name : TRY(ListPlanFiles(hub, plan))) {
    const auto bytes = ReadFileUpTo(hub / name, kLargestFile + 1);
    if (!bytes && bytes.error().code == ErrorCode::kNotFound) continue;
    if (!bytes) {
      return Fail(bytes.error().code, "the plan cannot be archived: " + bytes.error().message,
                  "make the file readable for the user who runs this, or remove it");
    }
    if (bytes->size() > kLargestFile) continue;
    if (count == most) return Fail(ErrorCode::kTooLarge, fmt::format("it has more than {} files", most));
    TRY(tar.Add(std::string(kFiles) + name, *bytes));
    ++count;
  }
  return count;
}

std::string ManifestText(const PlanId& plan, const PlanSummary& summary, const Inventory& stock) {
  return PrettyJson(json::object{{"format", kFormat},
                                 {"plan_id", plan.str()},
                                 {"goal", summary.goal},
                                 {"state", summary.state},
                                 {"updated_at", ToRfc3339(summary.updated_at)},
                                 {"events", stock.events},
                                 {"first_event", stock.first_event},
                                 {"last_event", stock.last_event},
                                 {"events_sha256", stock.digest.Hex()},
                                 {"contents", stock.contents.size()},
                                 {"program", AGENTTALK_VERSION}});
}

// What the first entry says of the rest.
struct Manifest {
  PlanId plan;
  std::uint64_t events = 0;
  std::uint64_t contents = 0;
  Digest events_digest;
};

Result<Manifest> ReadManifest(const std::string& text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return RefuseArchive("its description is no JSON object");
  const auto number = [&](const char* name) -> std::uint64_t {
    const json::value* found = object->if_contains(name);
    if (found == nullptr || !found->is_number()) return 0;
    boost::system::error_code ignored;
    return found->to_number<std::uint64_t>(ignored);
  };
  const auto text_of = [&](const char* name) -> std::string {
    const json::value* found = object->if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
  };
  const std::uint64_t format = number("format");
  if (format != kFormat) {
    return Fail(ErrorCode::kSchemaVersionUnsupported,
                fmt::format("the archive has format {}, this program reads {}", format, kFormat),
                format > kFormat ? "use a newer agenttalk" : "");
  }
  Manifest manifest;
  manifest.plan = PlanId(text_of("plan_id"));
  if (!IsSafeName(manifest.plan.str())) return RefuseArchive("its plan id cannot be used");
  manifest.events = number("events");
  manifest.contents = number("contents");
  const auto digest = Digest::FromHex(text_of("events_sha256"));
  if (!digest) return RefuseArchive("its description has no checksum of the events");
  manifest.events_digest = *digest;
  return manifest;
}

Result<std::vector<ImportedRow>> ReadRows(const std::string& bytes, const Manifest& manifest) {
  if (Sha256(bytes) != manifest.events_digest)
    return RefuseArchive("its events are not those that were written");
  ByteReader reader(bytes);
  std::vector<ImportedRow> rows;
  std::uint64_t next = 1;
  std::uint64_t events = 0;
  while (!reader.AtEnd()) {
    ImportedRow row;
    row.first_event = reader.Varint();
    const std::uint64_t count = reader.Varint();
    row.events = reader.Bytes();
    // Without a sum that is too large for its type.
    const bool fits = reader.ok() && row.first_event >= next && row.first_event < kLargestNumber &&
                      count > 0 && count < UINT32_MAX && count < kLargestNumber - row.first_event;
    if (!fits) return RefuseArchive("its events are damaged");
    row.event_count = static_cast<std::uint32_t>(count);
    next = row.first_event + count;
    events += count;
    rows.push_back(std::move(row));
  }
  if (rows.empty() || events != manifest.events) return RefuseArchive("events are missing");
  return rows;
}

Result<void> TakeEntry(const TarEntry& entry, std::string bytes, const Manifest& manifest,
                       const ArchiveLimits& limits, PlanArchive& archive) {
  if (entry.path == kEvents && archive.rows.empty()) {
    archive.rows = TRY(ReadRows(bytes, manifest));
    return {};
  }
  if (entry.path.starts_with(kContents)) {
    const auto digest = Digest::FromHex(std::string_view(entry.path).substr(kContents.size()));
    if (!digest || Sha256(bytes) != *digest) return RefuseArchive(entry.path + " is not what its name says");
    archive.contents.push_back({*digest, std::make_shared<const std::string>(std::move(bytes))});
    return {};
  }
  if (entry.path.starts_with(kFiles)) {
    std::string path = entry.path.substr(kFiles.size());
    if (!IsPlanFile(path, manifest.plan)) {
      return Fail(ErrorCode::kNameUnsafe,
                  fmt::format("the archive is refused: {} is no file of the plan", path));
    }
    if (archive.files.size() == limits.files) return RefuseArchive("it has too many files");
    archive.files.push_back({std::move(path), std::move(bytes)});
    return {};
  }
  return RefuseArchive(fmt::format("it holds {}", entry.path));
}

Result<ArchiveReport> WriteWithin(const ArchiveLimits& limits, Journal& journal, const fs::path& hub,
                                  const PlanId& plan, const PlanSummary& summary, const fs::path& file) {
  const Inventory stock = TRY(TakeStock(journal, plan));
  TarWriter tar = TRY(TarWriter::Create(file, limits.bytes));
  TRY(tar.Add(kManifest, ManifestText(plan, summary, stock)));
  TRY(tar.Begin(kEvents, stock.bytes));
  Result<void> written;
  TRY(journal.ReadStream(plan, 0, [&](const JournalRowView& row) {
    if (row.first_event > stock.last_event) return false;
    ByteWriter writer;
    EncodeRow(row, writer);
    written = tar.Write(writer.str());
    return written.has_value();
  }));
  TRY(std::move(written));
  for (const Content& content : stock.contents) {
    TRY(tar.Add(std::string(kContents) + content.digest.Hex(), TRY(journal.ReadContent(content))));
  }
  ArchiveReport report{.events = stock.events, .contents = stock.contents.size(), .files = 0, .bytes = 0};
  report.files = TRY(AddFiles(hub, plan, limits.files, tar));
  TRY(tar.Finish());
  std::error_code ignored;
  report.bytes = fs::file_size(file, ignored);
  return report;
}

}  // namespace

Result<ArchiveReport> WriteArchive(Journal& journal, const fs::path& hub, const PlanId& plan,
                                   const PlanSummary& summary, const fs::path& file,
                                   const ArchiveLimits& limits) {
  auto written = WriteWithin(limits, journal, hub, plan, summary, file);
  if (written || written.error().code != ErrorCode::kTooLarge) return written;
  return Fail(ErrorCode::kTooLarge,
              fmt::format("{} is too large for an archive: {}", plan.str(), written.error().message),
              fmt::format("remove files from its folders, or the plan without an archive: `agenttalk gc {}`",
                          plan.str()));
}

Result<PlanArchive> ReadArchive(const fs::path& file, const ArchiveLimits& limits) {
  TarReader tar = TRY(TarReader::Open(file, limits.bytes));
  const auto first = TRY(tar.Next());
  if (!first || first->path != kManifest || first->size > std::uint64_t{64} << 10) {
    return RefuseArchive("it is no archive of a plan");
  }
  Sha256Stream hash;
  const std::string text = TRY(tar.Read());
  hash.Update(text);
  const Manifest manifest = TRY(ReadManifest(text));
  PlanArchive archive;
  archive.plan = manifest.plan;
  while (const auto entry = TRY(tar.Next())) {
    std::string bytes = TRY(tar.Read());
    hash.Update(entry->path);
    hash.Update(bytes);
    TRY(TakeEntry(*entry, std::move(bytes), manifest, limits, archive));
  }
  if (archive.rows.empty()) return RefuseArchive("its events are missing");
  if (archive.contents.size() != manifest.contents) return RefuseArchive("contents are missing");
  archive.digest = hash.Finish();
  archive.events = manifest.events;
  archive.first_event = archive.rows.front().first_event;
  archive.last_event = archive.rows.back().first_event + archive.rows.back().event_count - 1;
  TRY(CheckEvents(archive));
  return archive;
}

Result<void> CheckArchive(const fs::path& file) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return Fail(ErrorCode::kIo, "cannot make a pipe");
  const pid_t child = ::fork();
  if (child < 0) return Fail(ErrorCode::kIo, "cannot start a process");
  if (child == 0) {
    ::close(pipe[0]);
    const int null = ::open("/dev/null", O_WRONLY);
    if (null >= 0) ::dup2(null, STDERR_FILENO);
    const auto read = ReadArchive(file);
    std::string said = "ok";
    if (!read) {
      said = CompactJson(json::array{static_cast<std::uint64_t>(read.error().code), read.error().message,
                                     read.error().hint});
    }
    std::string_view rest = said;
    while (!rest.empty()) {
      const ssize_t count = ::write(pipe[1], rest.data(), rest.size());
      if (count <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::string said;
  std::array<char, 4096> piece{};
  for (ssize_t count = 0; (count = ::read(pipe[0], piece.data(), piece.size())) != 0;) {
    if (count < 0 && errno != EINTR) break;
    if (count > 0) said.append(piece.data(), static_cast<std::size_t>(count));
  }
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return RefuseArchive("its events do not follow from one another");
  }
  if (said == "ok") return {};
  boost::system::error_code bad;
  const json::value value = json::parse(said, bad);
  const json::array* told = bad ? nullptr : value.if_array();
  if (told == nullptr || told->size() != 3) return RefuseArchive("it could not be checked");
  return Fail(static_cast<ErrorCode>(told->at(0).to_number<std::uint64_t>()),
              std::string(told->at(1).as_string()), std::string(told->at(2).as_string()));
}

}  // namespace agenttalk
