#include "runtime/core/content_store.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

class ContentStoreTest : public ::testing::Test {
 protected:
  // Makes what the store has gathered part of the journal, as the row that begins with `row`.
  void Commit(ContentStore& store, std::uint64_t row) {
    Append append;
    ContentStore::Gathered gathered = store.TakeGathered();
    JournalRow added;
    added.version = row;
    added.first_event = row;
    added.event_count = 1;
    added.events = "x";
    for (auto& [number, content] : gathered.in_rows) {
      EXPECT_EQ(number, row);
      added.contents.push_back(content);
    }
    append.rows.push_back(added);
    append.blobs = gathered.blobs;
    ASSERT_TRUE(journal_.Commit({&append, 1}, epoch_).has_value());
    store.Committed(row);
  }

  MemoryJournal journal_;
  std::uint64_t epoch_ = *journal_.BeginEpoch();
};

TEST_F(ContentStoreTest, SmallContentsRideInTheirRowAndLargeOnesAreBlobs) {
  ContentStore store(journal_);
  const Content small = store.Store(std::string(ContentStore::kLargestInRow, 's'), 7);
  const Content large = store.Store(std::string(ContentStore::kLargestInRow + 1, 'l'), 7);
  EXPECT_EQ(small.row, 7U);
  EXPECT_EQ(large.row, 0U);
  const auto gathered = store.TakeGathered();
  ASSERT_EQ(gathered.in_rows.size(), 1U);
  EXPECT_EQ(gathered.in_rows[0].second.digest, small.digest);
  ASSERT_EQ(gathered.blobs.size(), 1U);
  EXPECT_EQ(gathered.blobs[0].digest, large.digest);
}

TEST_F(ContentStoreTest, KnownBytesAreNotStoredAgain) {
  ContentStore store(journal_);
  const Content first = store.Store("text", 1);
  const Content again = store.Store("text", 5);
  EXPECT_EQ(first, again) << "the reference names the row that holds them";
  EXPECT_EQ(store.TakeGathered().in_rows.size(), 1U);
}

TEST_F(ContentStoreTest, KeepsWhatIsNotCommittedHoweverSmallTheCache) {
  ContentStore store(journal_, 1);
  std::vector<Content> contents;
  for (int i = 0; i < 50; ++i) contents.push_back(store.Store("text " + std::to_string(i), 1));
  for (int i = 0; i < 50; ++i) {
    const auto bytes = store.Load(contents[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(bytes.has_value());
    EXPECT_EQ(**bytes, "text " + std::to_string(i));
  }
}

TEST_F(ContentStoreTest, ReadsFromTheJournalWhatTheCacheHasLetGo) {
  ContentStore store(journal_, 1000);
  std::vector<Content> contents;
  for (std::uint64_t row = 1; row <= 100; ++row) {
    contents.push_back(store.Store("text " + std::to_string(row), row));
    Commit(store, row);
  }
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < contents.size(); ++i) {
      const auto bytes = store.Load(contents[(i * 37) % contents.size()]);
      ASSERT_TRUE(bytes.has_value());
      EXPECT_EQ(Sha256(**bytes), contents[(i * 37) % contents.size()].digest);
    }
  }
}

TEST_F(ContentStoreTest, LetsGoTheLeastRecentlyUsedFirst) {
  MemoryJournal empty;  // what is not in the cache cannot be read: that shows what is in it
  ContentStore store(empty, 1000);
  const Content used = store.Store("used", 1);
  const Content idle = store.Store("idle", 1);
  store.Committed(1);
  for (int i = 0; i < 20; ++i) {
    store.Store("filler " + std::to_string(i), 1);
    ASSERT_TRUE(store.Load(used).has_value());
  }
  const auto gone = store.Load(idle);
  ASSERT_FALSE(gone.has_value());
  EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace agenttalk
