#include "runtime/retention/plan_archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/state/fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "journal/durable_file.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "mailbox/file_system.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/stored_request.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/history/command_history.h"
#include "runtime/history/history_reader.h"
#include "runtime/reports/plan_report.h"
#include "runtime/reports/plan_trace.h"
#include "runtime/retention/garbage.h"
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
// An archive is held in memory while it is imported.
constexpr std::uint64_t kLargestArchive = std::uint64_t{2} << 30;
constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 20;
constexpr std::size_t kMostFiles = 1'000'000;
// Numbers that every reader of JSON keeps exactly.
constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 53;

std::unexpected<Error> Refused(const std::string& what) {
  return Fail(ErrorCode::kValueInvalid, "the archive is refused: " + what,
              "write it again with `agenttalk export PLAN --archive FILE`");
}

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

// The folders of a plan whose files are archived: what people read of it, and what its tools left.
std::vector<std::string> FoldersOf(const fs::path& hub, const PlanId& plan) {
  std::vector<std::string> folders = {"plans/" + plan.str()};
  std::error_code ignored;
  for (const auto& agent : fs::directory_iterator(hub / "agents", ignored)) {
    if (!agent.is_directory(ignored) || agent.is_symlink(ignored)) continue;
    const std::string name = agent.path().filename().string();
    for (const char* kind : {"logs", "workspace"})
      folders.push_back(fmt::format("agents/{}/{}/{}", name, kind, plan.str()));
  }
  std::ranges::sort(folders);
  return folders;
}

bool IsPlanFile(const std::string& path, const PlanId& plan) {
  if (!CheckRelativePath(path) || path.find('\0') != std::string::npos) return false;
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    parts.push_back(std::string_view(path).substr(at, slash - at));
    at = slash + 1;
  }
  if (parts.size() >= 3 && parts[0] == "plans") return parts[1] == plan.str();
  return parts.size() >= 5 && parts[0] == "agents" && IsSafeName(parts[1]) &&
         (parts[2] == "logs" || parts[2] == "workspace") && parts[3] == plan.str();
}

Result<std::uint64_t> AddFiles(const fs::path& hub, const PlanId& plan, TarWriter& tar) {
  std::uint64_t count = 0;
  for (const std::string& folder : FoldersOf(hub, plan)) {
    std::error_code failed;
    std::vector<fs::path> paths;
    for (fs::recursive_directory_iterator at(hub / folder, failed), end; !failed && at != end;
         at.increment(failed)) {
      if (at->is_regular_file(failed) && !at->is_symlink(failed)) paths.push_back(at->path());
    }
    std::ranges::sort(paths);
    for (const fs::path& path : paths) {
      const std::string name = fs::relative(path, hub).string();
      const auto bytes = ReadFileUpTo(path, kLargestFile + 1);
      // What is too large for the hub's own limits, or went meanwhile, is left out: no event needs it.
      if (!bytes || bytes->size() > kLargestFile || !IsPlanFile(name, plan)) continue;
      TRY(tar.Add(std::string(kFiles) + name, *bytes));
      ++count;
    }
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
  if (object == nullptr) return Refused("its description is no JSON object");
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
  if (!IsSafeName(manifest.plan.str())) return Refused("its plan id cannot be used");
  manifest.events = number("events");
  manifest.contents = number("contents");
  const auto digest = Digest::FromHex(text_of("events_sha256"));
  if (!digest) return Refused("its description has no checksum of the events");
  manifest.events_digest = *digest;
  return manifest;
}

Result<std::vector<ImportedRow>> ReadRows(const std::string& bytes, const Manifest& manifest) {
  if (Sha256(bytes) != manifest.events_digest) return Refused("its events are not those that were written");
  ByteReader reader(bytes);
  std::vector<ImportedRow> rows;
  std::uint64_t next = 1;
  std::uint64_t events = 0;
  while (!reader.AtEnd()) {
    ImportedRow row;
    row.first_event = reader.Varint();
    const std::uint64_t count = reader.Varint();
    row.events = reader.Bytes();
    const bool fits = reader.ok() && row.first_event >= next && count > 0 && count < UINT32_MAX &&
                      row.first_event + count < kLargestNumber;
    if (!fits) return Refused("its events are damaged");
    row.event_count = static_cast<std::uint32_t>(count);
    next = row.first_event + count;
    events += count;
    rows.push_back(std::move(row));
  }
  if (rows.empty() || events != manifest.events) return Refused("events are missing");
  return rows;
}

// Decodes and folds the events, and looks for every content that they name.
class Checking {
 public:
  explicit Checking(PlanArchive& archive) : archive_(archive) {
    for (const NewContent& content : archive.contents) contents_[content.digest] = content.bytes;
  }

  Result<void> Check() {
    for (const ImportedRow& row : archive_.rows) TRY(CheckRow(row));
    if (named_.size() != contents_.size()) return Refused("it holds contents that no event names");
    const PlanState* plan = state_.FindPlan(archive_.plan);
    if (plan == nullptr || !plan->opened) return Refused("its events make no plan");
    archive_.summary = SummaryOf(*plan);
    archive_.summary.state = PlanStateName(*plan);
    archive_.summary.exact = true;
    archive_.summary.created_at = created_;
    const std::string& state = archive_.summary.state;
    if (plan->IsLivePlan() || (state != "completed" && state != "failed" && state != "cancelled")) {
      return Refused("the plan has not ended");
    }
    // As everybody will look at it.
    static_cast<void>(PlanStatusJson(*plan));
    static_cast<void>(PlanTraceJson(archive_.plan, history_, Loader()));
    return {};
  }

 private:
  ContentLoader Loader() {
    return [this](const Content& content) -> Result<std::shared_ptr<const std::string>> {
      const auto found = contents_.find(content.digest);
      if (found == contents_.end() || found->second->size() != content.size) {
        return Refused(fmt::format("content {} is missing", content.digest.Hex()));
      }
      return found->second;
    };
  }

  Result<void> CheckRow(const ImportedRow& row) {
    Result<void> fits;
    const ContentLoader load = Loader();
    const auto decoded =
        DecodeEvents(archive_.plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
          if (!fits) return;
          fits = ForEachNamed(load, event, [&](const Content& content) {
            named_.insert(content.digest);
            if (auto loaded = load(content); !loaded) fits = std::unexpected(loaded.error());
          });
          if (!fits) return;
          if (created_ == Timestamp{}) created_ = event.time;
          Apply(state_, event);
          history_.See(event);
        });
    if (!decoded) return Refused(decoded.error().message);
    return fits;
  }

  PlanArchive& archive_;
  std::unordered_map<Digest, std::shared_ptr<const std::string>> contents_;
  std::unordered_set<Digest> named_;
  HubState state_;
  PlanHistory history_;
  Timestamp created_{};
};

Result<void> TakeEntry(const TarEntry& entry, std::string bytes, const Manifest& manifest,
                       PlanArchive& archive) {
  if (entry.path == kEvents && archive.rows.empty()) {
    archive.rows = TRY(ReadRows(bytes, manifest));
    return {};
  }
  if (entry.path.starts_with(kContents)) {
    const auto digest = Digest::FromHex(std::string_view(entry.path).substr(kContents.size()));
    if (!digest || Sha256(bytes) != *digest) return Refused(entry.path + " is not what its name says");
    archive.contents.push_back({*digest, std::make_shared<const std::string>(std::move(bytes))});
    return {};
  }
  if (entry.path.starts_with(kFiles)) {
    std::string path = entry.path.substr(kFiles.size());
    if (!IsPlanFile(path, manifest.plan)) {
      return Fail(ErrorCode::kNameUnsafe,
                  fmt::format("the archive is refused: {} is no file of the plan", path));
    }
    if (archive.files.size() == kMostFiles) return Refused("it has too many files");
    archive.files.push_back({std::move(path), std::move(bytes)});
    return {};
  }
  return Refused(fmt::format("it holds {}", entry.path));
}

}  // namespace

Result<ArchiveReport> WriteArchive(Journal& journal, const fs::path& hub, const PlanId& plan,
                                   const PlanSummary& summary, const fs::path& file) {
  const Inventory stock = TRY(TakeStock(journal, plan));
  TarWriter tar = TRY(TarWriter::Create(file));
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
  report.files = TRY(AddFiles(hub, plan, tar));
  TRY(tar.Finish());
  std::error_code ignored;
  report.bytes = fs::file_size(file, ignored);
  return report;
}

Result<PlanArchive> ReadArchive(const fs::path& file) {
  TarReader tar = TRY(TarReader::Open(file, kLargestArchive));
  const auto first = TRY(tar.Next());
  if (!first || first->path != kManifest || first->size > std::uint64_t{64} << 10) {
    return Refused("it is no archive of a plan");
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
    TRY(TakeEntry(*entry, std::move(bytes), manifest, archive));
  }
  if (archive.rows.empty()) return Refused("its events are missing");
  if (archive.contents.size() != manifest.contents) return Refused("contents are missing");
  archive.digest = hash.Finish();
  archive.events = manifest.events;
  archive.first_event = archive.rows.front().first_event;
  archive.last_event = archive.rows.back().first_event + archive.rows.back().event_count - 1;
  TRY(Checking(archive).Check());
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
    return Refused("its events do not follow from one another");
  }
  if (said == "ok") return {};
  boost::system::error_code bad;
  const json::value value = json::parse(said, bad);
  const json::array* told = bad ? nullptr : value.if_array();
  if (told == nullptr || told->size() != 3) return Refused("it could not be checked");
  return Fail(static_cast<ErrorCode>(told->at(0).to_number<std::uint64_t>()),
              std::string(told->at(1).as_string()), std::string(told->at(2).as_string()));
}

}  // namespace agenttalk
