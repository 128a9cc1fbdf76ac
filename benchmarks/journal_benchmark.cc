#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <ratio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/ids.h"
#include "journal/commit_thread.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"

// journal_benchmark [DIRECTORY]: what a durable step costs, against a bare SQLite commit and a bare fdatasync
// on the same file system in the same run. Samples of all of them are taken in turn, so that a disk that
// slows down slows all of them down.
namespace agenttalk {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kPayload = 300;
constexpr int kRounds = 20;
constexpr int kPerRound = 100;

double Microseconds(Clock::duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

class Samples {
 public:
  void Time(const std::function<void()>& body) {
    const auto start = Clock::now();
    body();
    values_.push_back(Microseconds(Clock::now() - start));
  }
  double At(double quantile) {
    std::ranges::sort(values_);
    return values_[static_cast<std::size_t>(quantile * static_cast<double>(values_.size() - 1))];
  }
  [[nodiscard]] double Mean() const {
    double sum = 0;
    for (const double value : values_) sum += value;
    return sum / static_cast<double>(values_.size());
  }

 private:
  std::vector<double> values_;
};

// A file that grows by 300 bytes, each synced.
class RawFile {
 public:
  explicit RawFile(const std::filesystem::path& path)
      : fd_(::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)) {
    CHECK(fd_ >= 0);
  }
  ~RawFile() { ::close(fd_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  void Step() const {
    CHECK(::write(fd_, payload_.data(), payload_.size()) == static_cast<ssize_t>(payload_.size()));
    CHECK(::fdatasync(fd_) == 0);
  }

 private:
  int fd_;
  std::string payload_ = std::string(kPayload, 'x');
};

// The plainest durable SQLite: its default page size and checkpoints, WAL, synchronous=FULL, one insert a
// commit.
class RawSqlite {
 public:
  explicit RawSqlite(const std::filesystem::path& path) {
    CHECK(sqlite3_open(path.c_str(), &database_) == SQLITE_OK);
    Execute("PRAGMA journal_mode = WAL");
    Execute("PRAGMA synchronous = FULL");
    Execute("CREATE TABLE steps(number INTEGER PRIMARY KEY, payload BLOB)");
    CHECK(sqlite3_prepare_v2(database_, "INSERT INTO steps(payload) VALUES(?)", -1, &insert_, nullptr) ==
          SQLITE_OK);
  }
  ~RawSqlite() {
    sqlite3_finalize(insert_);
    sqlite3_close(database_);
  }
  RawSqlite(const RawSqlite&) = delete;
  RawSqlite& operator=(const RawSqlite&) = delete;
  void Step() {
    sqlite3_bind_blob(insert_, 1, payload_.data(), static_cast<int>(payload_.size()), SQLITE_STATIC);
    CHECK(sqlite3_step(insert_) == SQLITE_DONE);
    sqlite3_reset(insert_);
  }

 private:
  void Execute(const char* sql) {
    CHECK(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  }
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  std::string payload_ = std::string(kPayload, 'x');
};

// Makes the appends of `streams` plans in turn.
class AppendSource {
 public:
  explicit AppendSource(std::size_t streams) : versions_(streams) {}
  Append Next() {
    const std::size_t stream = turn_++ % versions_.size();
    Append append;
    JournalRow& row = append.rows.emplace_back();
    row.stream = PlanId(fmt::format("plan_{}", stream));
    row.version = ++versions_[stream];
    row.first_event = ++event_;
    row.event_count = 1;
    row.events.assign(kPayload, 'x');
    return append;
  }
  std::vector<Append> Next(std::size_t count) {
    std::vector<Append> appends;
    appends.reserve(count);
    for (std::size_t i = 0; i < count; ++i) appends.push_back(Next());
    return appends;
  }
  [[nodiscard]] std::uint64_t last() const { return event_; }

 private:
  std::vector<std::uint64_t> versions_;
  std::size_t turn_ = 0;
  std::uint64_t event_ = 0;
};

// Our journal in a directory of its own.
struct Ours {
  Ours(const std::filesystem::path& directory, std::size_t streams)
      : journal(SqliteJournal::Open(directory).value()),
        epoch(journal->BeginEpoch().value()),
        source(streams) {}
  // Making the appends is not part of the measurement.
  void Commit(Samples& samples, std::size_t count) {
    const std::vector<Append> appends = source.Next(count);
    samples.Time([&] { CHECK(journal->Commit(appends, epoch)); });
  }
  // Everything that was committed is there, in order.
  void Verify() const {
    std::uint64_t rows = 0;
    CHECK(journal->ReadAll(0, [&rows](const JournalRowView& row) {
      return row.first_event == ++rows && row.events.size() == kPayload;
    }));
    CHECK(rows == source.last());
  }
  std::unique_ptr<SqliteJournal> journal;
  std::uint64_t epoch;
  AppendSource source;
};

// Submit one append, wait for its report: what a step of a chain waits for.
class Chain {
 public:
  explicit Chain(Ours& ours)
      : ours_(ours),
        thread_(*ours.journal, ours.epoch,
                {.committed =
                     [this](std::uint64_t event) {
                       committed_.store(event, std::memory_order_release);
                       committed_.notify_one();
                     },
                 .disk_full = {},
                 .failed = {}}) {
    thread_.Start();
  }
  void Step(Samples& samples) {
    Append append = ours_.source.Next();
    samples.Time([&] {
      CHECK(thread_.TrySubmit(std::move(append)));
      for (std::uint64_t seen = committed_.load(); seen != ours_.source.last(); seen = committed_.load()) {
        committed_.wait(seen, std::memory_order_acquire);
      }
    });
  }

 private:
  Ours& ours_;
  std::atomic<std::uint64_t> committed_{0};
  CommitThread thread_;
};

void Print(std::string_view name, Samples& samples, double steps, Samples& raw) {
  fmt::print("{:<38} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>7.2f} {:>8.2f} {:>10.0f}\n", name,
             samples.At(0.5), samples.At(0.9), samples.At(0.99), samples.Mean(),
             samples.At(0.5) / raw.At(0.5), samples.Mean() / raw.Mean(), steps * 1e6 / samples.Mean());
}

void MeasureCommits(const std::filesystem::path& directory) {
  const RawFile file(directory / "raw_file");
  RawSqlite raw(directory / "raw.db");
  Ours single(directory / "single", 1);
  Ours chained(directory / "chained", 1);
  Ours by64(directory / "by64", 64);
  Ours by256(directory / "by256", 256);
  Samples file_times, raw_times, single_times, chain_times, times64, times256;
  {
    Chain chain(chained);
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kPerRound; ++i) file_times.Time([&] { file.Step(); });
      for (int i = 0; i < kPerRound; ++i) raw_times.Time([&] { raw.Step(); });
      for (int i = 0; i < kPerRound; ++i) single.Commit(single_times, 1);
      for (int i = 0; i < kPerRound; ++i) chain.Step(chain_times);
      for (int i = 0; i < kPerRound / 2; ++i) by64.Commit(times64, 64);
      for (int i = 0; i < kPerRound / 2; ++i) by256.Commit(times256, 256);
    }
  }
  fmt::print("{:<38} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>10}\n", "microseconds", "p50", "p90", "p99",
             "mean", "p50/raw", "mean/raw", "steps/s");
  Print("append 300 bytes + fdatasync", file_times, 1, raw_times);
  Print("raw SQLite, WAL, FULL, one insert", raw_times, 1, raw_times);
  Print("Commit of one append", single_times, 1, raw_times);
  Print("CommitThread, one append and back", chain_times, 1, raw_times);
  Print("Commit of 64 appends, 64 plans", times64, 64, raw_times);
  Print("Commit of 256 appends, 256 plans", times256, 256, raw_times);
  for (const Ours* ours : {&single, &chained, &by64, &by256}) ours->Verify();
}

void MeasureReading(const std::filesystem::path& directory) {
  constexpr std::uint64_t kRows = 1'000'000;
  AppendSource source(100);
  const auto journal = SqliteJournal::Open(directory / "reading").value();
  const std::uint64_t epoch = journal->BeginEpoch().value();
  while (source.last() < kRows) {
    std::vector<Append> appends = source.Next(1000);
    for (Append& append : appends) append.rows[0].events.resize(100);
    CHECK(journal->Commit(appends, epoch));
  }
  std::uint64_t rows = 0;
  const RowVisitor count = [&rows](const JournalRowView&) { return ++rows != 0; };
  auto start = Clock::now();
  CHECK(journal->ReadAll(0, count));
  fmt::print("ReadAll of {} rows of 100 bytes: {:.2f} million rows/s\n", rows,
             static_cast<double>(rows) / Microseconds(Clock::now() - start));
  CHECK(rows == kRows);
  rows = 0;
  start = Clock::now();
  for (int i = 0; i < 100; ++i) CHECK(journal->ReadStream(PlanId(fmt::format("plan_{}", i)), 0, count));
  fmt::print("ReadStream, 100 plans in turn among each other: {:.2f} million rows/s\n",
             static_cast<double>(rows) / Microseconds(Clock::now() - start));
  CHECK(rows == kRows);
}

void MeasureMemory() {
  constexpr int kSteps = 200'000;
  MemoryJournal journal;
  const std::uint64_t epoch = journal.BeginEpoch().value();
  AppendSource source(100);
  const std::vector<Append> appends = source.Next(kSteps);
  const auto start = Clock::now();
  for (const Append& append : appends) CHECK(journal.Commit({&append, 1}, epoch));
  fmt::print("MemoryJournal, Commit of one append: {:.2f} microseconds\n",
             Microseconds(Clock::now() - start) / kSteps);
}

void Run(const std::filesystem::path& parent) {
  std::string directory = (parent / "journal-benchmark-XXXXXX").string();
  CHECK(::mkdtemp(directory.data()) != nullptr);
  MeasureCommits(directory);
  MeasureReading(directory);
  MeasureMemory();
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace agenttalk

int main(int argc, char** argv) {
  agenttalk::Run(argc > 1 ? argv[1] : ".");
  return 0;
}
