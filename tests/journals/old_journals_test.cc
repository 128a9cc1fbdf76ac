#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/engine.h"
#include "engine/engine_fixture.h"
#include "engine/hub_snapshot_check.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "journal/sqlite_journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"

namespace agenttalk {
namespace {

// The last event of version 0.1.0; later versions added theirs behind it.
constexpr std::size_t kEventsOfFirstVersion = 57;

// Opening a journal may write to it, so every test has a copy of its own.
class OldJournal {
 public:
  explicit OldJournal(const std::filesystem::path& archive)
      : copy_(std::filesystem::temp_directory_path() /
              ("agenttalk-old-" + std::to_string(::getpid()) + "-" + archive.filename().string())) {
    std::filesystem::remove_all(copy_);
    std::filesystem::copy(archive / "hub/.agenttalk", copy_, std::filesystem::copy_options::recursive);
    auto opened = SqliteJournal::Open(copy_);
    if (opened) journal_ = std::move(*opened);
  }
  OldJournal(const OldJournal&) = delete;
  OldJournal& operator=(const OldJournal&) = delete;
  ~OldJournal() {
    journal_.reset();
    std::filesystem::remove_all(copy_);
  }

  Journal& operator*() { return *journal_; }
  [[nodiscard]] bool IsOpen() const { return journal_ != nullptr; }

 private:
  std::filesystem::path copy_;
  std::unique_ptr<SqliteJournal> journal_;
};

std::vector<std::filesystem::path> Archives() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(AGENTTALK_OLD_JOURNALS))
    found.push_back(entry.path());
  return found;
}

// The plan folded from its events behind `after`, on top of what the engine was given.
std::string Fold(Engine& engine, Journal& journal, const PlanId& plan, std::uint64_t after,
                 std::uint64_t until = UINT64_MAX) {
  Result<void> decoded;
  auto read = journal.ReadStream(plan, after, [&](const JournalRowView& row) {
    if (row.version > until) return false;
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events,
                           [&](const Event& event) { engine.Replay(event); });
    engine.SetVersion(plan, row.version);
    return decoded.has_value();
  });
  EXPECT_TRUE(read.has_value() && decoded.has_value());
  return EncodePlan(*engine.state().FindPlan(plan));
}

struct Folding {
  MemorySink sink;
  PlainComposer composer;
  Engine engine{sink, composer};
};

TEST(OldJournals, HoldEveryEventOfTheirVersion) {
  std::set<std::size_t> seen;
  for (const auto& archive : Archives()) {
    OldJournal journal(archive);
    ASSERT_TRUE(journal.IsOpen()) << archive;
    const auto read = (*journal).ReadAll(0, [&](const JournalRowView& row) {
      const auto decoded =
          DecodeEvents(PlanId(std::string(row.stream)), row.first_event, row.event_count, row.events,
                       [&](const Event& event) { seen.insert(event.body.index()); });
      EXPECT_TRUE(decoded.has_value()) << archive << " event " << row.first_event;
      return true;
    });
    EXPECT_TRUE(read.has_value()) << archive;
  }
  for (std::size_t index = 0; index < kEventsOfFirstVersion; ++index)
    EXPECT_TRUE(seen.contains(index)) << "no journal holds event number " << index;
}

TEST(OldJournals, FoldToAStateThatASnapshotKeepsWhole) {
  for (const auto& archive : Archives()) {
    OldJournal journal(archive);
    ASSERT_TRUE(journal.IsOpen()) << archive;
    auto streams = (*journal).Streams(false);
    ASSERT_TRUE(streams.has_value());
    for (const StreamInfo& stream : *streams) {
      if (stream.stream.empty()) continue;
      Folding folding;
      const std::string folded = Fold(folding.engine, *journal, stream.stream, 0);
      PlanState loaded;
      loaded.id = stream.stream;
      ASSERT_TRUE(DecodePlan(folded, loaded)) << archive << " " << stream.stream.str();
      EXPECT_EQ(EncodePlan(loaded), folded) << archive << " " << stream.stream.str();
    }
  }
}

// Their own snapshots are of an older layout, which is passed over; one of today's, made in the middle, is
// not.
TEST(OldJournals, FoldToTheSameFromASnapshot) {
  std::size_t snapshots = 0;
  for (const auto& archive : Archives()) {
    OldJournal journal(archive);
    ASSERT_TRUE(journal.IsOpen()) << archive;
    auto streams = (*journal).Streams(false);
    ASSERT_TRUE(streams.has_value());
    for (const StreamInfo& stream : *streams) {
      if (stream.stream.empty() || stream.version < 2) continue;
      const std::uint64_t middle = stream.version / 2;
      Folding until_middle;
      const std::string half = Fold(until_middle.engine, *journal, stream.stream, 0, middle);
      PlanState loaded;
      loaded.id = stream.stream;
      ASSERT_TRUE(DecodePlan(half, loaded)) << archive << " " << stream.stream.str();
      loaded.version = loaded.snapshot_version = middle;
      loaded.last_event = until_middle.engine.state().FindPlan(stream.stream)->last_event;
      ++snapshots;
      Folding from_snapshot;
      from_snapshot.engine.Load(std::move(loaded));
      Folding from_events;
      EXPECT_EQ(Fold(from_snapshot.engine, *journal, stream.stream, middle),
                Fold(from_events.engine, *journal, stream.stream, 0))
          << archive << " " << stream.stream.str();
    }
  }
  EXPECT_GT(snapshots, 0U);
}

TEST(OldJournals, TheHubFoldsToTheSameFromASnapshotAtAnyRow) {
  for (const auto& archive : Archives()) {
    OldJournal journal(archive);
    ASSERT_TRUE(journal.IsOpen()) << archive;
    const auto hub = (*journal).FindStream(PlanId());
    ASSERT_TRUE(hub.has_value() && *hub);
    const auto fold = [&](Engine& engine, std::uint64_t after, std::uint64_t until) {
      Fold(engine, *journal, PlanId(), after, until);
    };
    Folding whole;
    fold(whole.engine, 0, UINT64_MAX);
    const std::string expected = HubBytes(whole.engine.state());
    for (std::uint64_t middle = 1; middle < (*hub)->version; ++middle) {
      std::deque<Folding> engines;
      const std::string folded =
          HubFromSnapshot([&]() -> Engine& { return engines.emplace_back().engine; }, middle, fold);
      EXPECT_TRUE(folded == expected) << archive << " row " << middle;
    }
  }
}

TEST(OldJournals, HaveSnapshotsThatAreReadOrPassedOver) {
  std::size_t snapshots = 0;
  for (const auto& archive : Archives()) {
    OldJournal journal(archive);
    ASSERT_TRUE(journal.IsOpen()) << archive;
    auto streams = (*journal).Streams(false);
    ASSERT_TRUE(streams.has_value());
    for (const StreamInfo& stream : *streams) {
      auto snapshot = (*journal).LatestSnapshot(stream.stream);
      ASSERT_TRUE(snapshot.has_value());
      if (!*snapshot || stream.stream.empty()) continue;
      ++snapshots;
      PlanState loaded;
      loaded.id = stream.stream;
      EXPECT_FALSE(DecodePlan((*snapshot)->state, loaded)) << "of layout 1, which has no trails";
    }
  }
  EXPECT_GT(snapshots, 0U);
}

}  // namespace
}  // namespace agenttalk
