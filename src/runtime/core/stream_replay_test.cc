#include "runtime/core/stream_replay.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"

namespace agenttalk {
namespace {

const PlanId kPlan("plan_a");

// So many rows of two events each; from `damaged` on their bytes are not what was written.
void Fill(MemoryJournal& journal, std::uint64_t rows, std::uint64_t damaged = UINT64_MAX) {
  const std::uint64_t epoch = *journal.BeginEpoch();
  std::vector<Append> appends(1);
  for (std::uint64_t version = 1; version <= rows; ++version) {
    const std::uint64_t first = 2 * version - 1;
    std::vector<Event> events;
    for (std::uint64_t number = first; number < first + 2; ++number) {
      Event& event = events.emplace_back(number, number == first ? 7 : first, Timestamp{}, kPlan);
      event.body = CommandRequeued{CommandId("cmd_" + std::to_string(number))};
    }
    JournalRow& row = appends.front().rows.emplace_back();
    row.stream = kPlan;
    row.version = version;
    row.first_event = first;
    row.event_count = 2;
    row.events = version < damaged ? EncodeEvents(events) : std::string("?");
  }
  ASSERT_TRUE(journal.Commit(appends, epoch).has_value());
}

struct Replayed {
  std::uint64_t events = 0;
  std::uint64_t version = 0;
  std::size_t parts = 0;
  Result<void> result;
};

Replayed Replay(MemoryJournal& journal, const ReplayRange& range, std::uint64_t first) {
  Replayed seen;
  seen.result =
      ReplayStream(journal, kPlan, range, [&](std::span<const Event> events, std::uint64_t version) {
        for (const Event& event : events) {
          const std::uint64_t number = first + seen.events++;
          EXPECT_EQ(event.number, number);
          EXPECT_EQ(event.caused_by, number % 2 == 1 ? 7 : number - 1);
          EXPECT_EQ(event.plan_id, kPlan);
          EXPECT_EQ(std::get<CommandRequeued>(event.body).command_id.str(), "cmd_" + std::to_string(number));
        }
        EXPECT_GT(version, seen.version);
        seen.version = version;
        ++seen.parts;
      });
  return seen;
}

TEST(StreamReplay, HandsOverEveryEventInOrderHoweverManyThereAre) {
  for (const std::uint64_t rows : {1U, 100U, 4095U, 4096U, 20'000U}) {
    MemoryJournal journal;
    Fill(journal, rows);
    const Replayed seen = Replay(journal, {}, 1);
    EXPECT_TRUE(seen.result.has_value());
    EXPECT_EQ(seen.events, 2 * rows);
    EXPECT_EQ(seen.version, rows);
    EXPECT_EQ(seen.parts > 1, rows > 4000) << rows;
  }
}

TEST(StreamReplay, BeginsAfterASnapshotAndEndsWhereTheReaderMayNotLookFurther) {
  MemoryJournal journal;
  Fill(journal, 20'000);
  const Replayed seen = Replay(journal, {.after_version = 10, .until_event = 39'000}, 21);
  EXPECT_TRUE(seen.result.has_value());
  EXPECT_EQ(seen.version, 19'500U);
  EXPECT_EQ(seen.events, 2U * (19'500 - 10));
}

TEST(StreamReplay, WhatIsBeforeADamagedRowIsHandedOver) {
  for (const std::uint64_t rows : {100U, 20'000U}) {
    MemoryJournal journal;
    Fill(journal, rows, rows - 5);
    const Replayed seen = Replay(journal, {}, 1);
    ASSERT_FALSE(seen.result.has_value());
    EXPECT_EQ(seen.result.error().code, ErrorCode::kJournalDamaged);
    EXPECT_EQ(seen.events, 2 * (rows - 6));
  }
}

TEST(StreamReplay, AStreamThatIsNotThereHasNoEvents) {
  MemoryJournal journal;
  EXPECT_TRUE(Replay(journal, {}, 1).result.has_value());
}

}  // namespace
}  // namespace agenttalk
