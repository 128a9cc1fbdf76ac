#include "journal/sqlite_journal.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/journal_test_support.h"
#include "journal/sqlite.h"
#include "journal/sqlite_schema.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

using Rows = std::vector<std::string>;

class SqliteJournalTest : public testing::Test {
 protected:
  std::unique_ptr<SqliteJournal> Open() {
    auto opened = SqliteJournal::Open(hub_);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  // Opens, begins an epoch and appends `count` rows of one event each, round robin over `streams` streams.
  void Fill(std::uint64_t count, std::uint64_t streams = 1) {
    const std::unique_ptr<SqliteJournal> journal = Open();
    const std::uint64_t epoch = journal->BeginEpoch().value();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t event = journal->LastEvent().value() + 1;
      const std::string name = "plan_" + std::to_string((event - 1) % streams);
      ASSERT_TRUE(CommitOne(*journal, AppendOf(RowOf(name, (event - 1) / streams + 1, event, "e")), epoch));
    }
  }
  [[nodiscard]] std::filesystem::path BlobFile(const Digest& digest) const {
    return hub_ / "blobs" / digest.Hex().substr(0, 2) / digest.Hex().substr(2);
  }

  TempDirectory directory_;
  std::filesystem::path hub_ = directory_.path() / ".agenttalk";
};

TEST_F(SqliteJournalTest, KeepsEverythingOverAReopening) {
  const NewContent small = ContentOf("small");
  const NewContent blob = ContentOf(std::string(10'000, 'b'));
  Rows written;
  {
    const auto journal = Open();
    const std::uint64_t epoch = journal->BeginEpoch().value();
    EXPECT_EQ(epoch, 1);
    Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
    append.rows[0].contents = {small};
    append.blobs = {blob};
    append.snapshots.push_back({PlanId("plan_a"), 1, 1, "state"});
    ASSERT_TRUE(CommitOne(*journal, append, epoch));
    JournalRow last = RowOf("plan_b", 1, 2, "two");
    last.live = false;
    ASSERT_TRUE(CommitOne(*journal, AppendOf(last), epoch));
    written = AllRows(*journal);
  }
  const auto journal = Open();
  EXPECT_EQ(AllRows(*journal), written);
  EXPECT_EQ(journal->ReadContent({small.digest, 5, 1}).value(), "small");
  EXPECT_EQ(journal->ReadContent({blob.digest, 10'000, 0}).value(), *blob.bytes);
  EXPECT_EQ(journal->LatestSnapshot(PlanId("plan_a")).value()->state, "state");
  EXPECT_EQ(journal->Streams(true).value().size(), 1);
  EXPECT_EQ(journal->Streams(false).value().size(), 2);
  EXPECT_EQ(journal->BeginEpoch().value(), 2);
  EXPECT_EQ(CodeOf(CommitOne(*journal, AppendOf(RowOf("plan_b", 1, 3, "again")), 2)), "VERSION_CONFLICT");
  EXPECT_EQ(CodeOf(CommitOne(*journal, AppendOf(RowOf("plan_b", 2, 3, "on")), 2)), "OK");
}

TEST_F(SqliteJournalTest, GoesOnAfterManyCheckpointsAndReopenings) {
  for (int start = 0; start < 3; ++start) Fill(700, 7);
  const auto journal = Open();
  EXPECT_EQ(journal->LastEvent().value(), 2100);
  EXPECT_EQ(AllRows(*journal).size(), 2100);
  EXPECT_EQ(RowsOf(*journal, "plan_3").size(), 300);
  EXPECT_EQ(journal->FindStream(PlanId("plan_6")).value()->version, 300);
}

// Streams begin, end, begin again and are removed; what is recorded of all of them fits at every start, also
// after a crash, whose log is copied here.
TEST_F(SqliteJournalTest, WhatIsRecordedOfAllStreamsFitsAtEveryStart) {
  std::vector<std::uint64_t> versions(40, 0);
  std::uint64_t event = 0;
  std::uint64_t hub_rows = 0;
  for (std::uint64_t round = 0; round < 12; ++round) {
    const auto crashed = directory_.path() / ("crashed" + std::to_string(round));
    std::uint64_t live = 0;
    {
      const auto journal = Open();
      ASSERT_TRUE(journal);
      const std::uint64_t epoch = journal->BeginEpoch().value();
      for (std::uint64_t i = 0; i < 40; ++i) {
        const std::uint64_t stream = (7 * i + round) % versions.size();
        JournalRow row = RowOf("plan_" + std::to_string(stream), versions[stream] + 1, event + 1, "e");
        row.live = (stream + round) % 3 == 0;
        ASSERT_EQ(CodeOf(CommitOne(*journal, AppendOf(row), epoch)), "OK");
        ++versions[stream];
        ++event;
        JournalRow refused = RowOf("plan_y", 7, event + 1, "not the first one");
        EXPECT_FALSE(CommitOne(*journal, AppendOf(refused), epoch));
      }
      const std::uint64_t removed = (round % 3 == 0 ? 1 : 2) + round;
      if (versions[removed] > 0 && (removed + round) % 3 != 0) {
        Append append;
        append.removals.push_back(
            {.stream = PlanId("plan_" + std::to_string(removed)), .kept = {}, .blobs = {}});
        append.rows.push_back(RowOf("", hub_rows + 1, event + 1, "removed"));
        ASSERT_EQ(CodeOf(CommitOne(*journal, append, epoch)), "OK");
        versions[removed] = 0;
        ++event;
        ++hub_rows;
      }
      live = journal->Streams(true).value().size();
      std::filesystem::copy(hub_, crashed, std::filesystem::copy_options::recursive);
    }
    const auto after_crash = SqliteJournal::Open(crashed);
    ASSERT_TRUE(after_crash) << after_crash.error().message;
    EXPECT_EQ((*after_crash)->Streams(true).value().size(), live);
    EXPECT_EQ((*after_crash)->Streams(false).value().size(), Open()->Streams(false).value().size());
  }
}

TEST_F(SqliteJournalTest, KeepsTheLogShortWhileItRuns) {
  Fill(600);
  EXPECT_LT(std::filesystem::file_size(hub_ / "journal.db-wal"), 1U);  // closed cleanly: truncated
  const auto journal = Open();
  const std::uint64_t epoch = journal->BeginEpoch().value();
  for (std::uint64_t i = 601; i <= 1800; ++i) {
    ASSERT_TRUE(CommitOne(*journal, AppendOf(RowOf("plan_0", i, i, "e")), epoch));
  }
  EXPECT_LT(std::filesystem::file_size(hub_ / "journal.db-wal"), std::uintmax_t{6} << 20);
}

TEST_F(SqliteJournalTest, RefusesASecondWriter) {
  const auto first = Open();
  EXPECT_EQ(CodeOf(SqliteJournal::Open(hub_)), "HUB_LOCKED");
}

TEST_F(SqliteJournalTest, IsFencedByAnEpochThatAnotherHandleBegan) {
  const auto journal = Open();
  const std::uint64_t epoch = journal->BeginEpoch().value();
  ASSERT_TRUE(CommitOne(*journal, AppendOf(RowOf("plan_a", 1, 1, "one")), epoch));
  {
    auto other = Database::Open(hub_ / "journal.db", Database::Mode::kCreate).value();
    auto meta = MetaTable::Open(other).value();
    ASSERT_TRUE(meta.Set(kEpochKey, epoch + 1));
  }
  EXPECT_EQ(CodeOf(CommitOne(*journal, AppendOf(RowOf("plan_a", 2, 2, "two")), epoch)), "FENCED");
  EXPECT_EQ(CodeOf(CommitOne(*journal, AppendOf(RowOf("plan_a", 2, 2, "two")), epoch + 1)), "FENCED");
  EXPECT_EQ(AllRows(*journal), Rows{"plan_a/1@1+1:one"});
}

TEST_F(SqliteJournalTest, CommitsNothingBeforeAnEpochBegan) {
  const auto journal = Open();
  EXPECT_EQ(CodeOf(CommitOne(*journal, AppendOf(RowOf("plan_a", 1, 1, "one")), 0)), "FENCED");
}

TEST_F(SqliteJournalTest, IsReadBesideARunningWriter) {
  EXPECT_EQ(CodeOf(SqliteJournal::OpenReadOnly(hub_)), "NOT_FOUND");
  const auto writer = Open();
  const std::uint64_t epoch = writer->BeginEpoch().value();
  const auto reader = SqliteJournal::OpenReadOnly(hub_).value();
  EXPECT_EQ(AllRows(*reader), Rows{});
  for (std::uint64_t i = 1; i <= 600; ++i) {
    const std::string name = i % 2 == 0 ? "plan_a" : "plan_b";
    ASSERT_TRUE(CommitOne(*writer, AppendOf(RowOf(name, (i + 1) / 2, i, "e")), epoch));
    if (i % 50 != 0) continue;
    EXPECT_EQ(reader->LastEvent().value(), i);
    EXPECT_EQ(RowsOf(*reader, "plan_a").size(), i / 2);
    EXPECT_EQ(reader->Streams(true).value()[1].version, i / 2);
  }
  EXPECT_EQ(CodeOf(reader->BeginEpoch()), "PERMISSION_DENIED");
  EXPECT_EQ(CodeOf(CommitOne(*reader, {}, epoch)), "PERMISSION_DENIED");
}

TEST_F(SqliteJournalTest, ASlowVisitorDoesNotHoldTheWriterUp) {
  const auto writer = Open();
  std::uint64_t epoch = writer->BeginEpoch().value();
  ASSERT_TRUE(CommitOne(*writer, AppendOf(RowOf("plan_a", 1, 1, "one")), epoch));
  const auto reader = SqliteJournal::OpenReadOnly(hub_).value();
  const Result<void> read = reader->ReadAll(0, [&](const JournalRowView&) {
    epoch = writer->BeginEpoch().value();  // truncates the log: impossible beside an open read transaction
    return true;
  });
  EXPECT_TRUE(read);
  EXPECT_EQ(epoch, 2);
}

TEST_F(SqliteJournalTest, StoresLargeContentsAsFiles) {
  const NewContent large = ContentOf(std::string((1 << 20) + 1, 'L'));
  const NewContent inside = ContentOf(std::string(1 << 20, 'i'));
  {
    const auto journal = Open();
    const std::uint64_t epoch = journal->BeginEpoch().value();
    Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
    append.blobs = {large, inside};
    ASSERT_TRUE(CommitOne(*journal, append, epoch));
  }
  EXPECT_EQ(std::filesystem::file_size(BlobFile(large.digest)), large.bytes->size());
  EXPECT_FALSE(std::filesystem::exists(BlobFile(inside.digest)));
  EXPECT_TRUE(std::filesystem::is_empty(hub_ / "blobs" / "tmp"));
  const auto journal = Open();
  EXPECT_EQ(journal->ReadContent({large.digest, large.bytes->size(), 0}).value(), *large.bytes);
  EXPECT_EQ(journal->ReadContent({inside.digest, inside.bytes->size(), 0}).value(), *inside.bytes);
}

TEST_F(SqliteJournalTest, NoticesAMissingOrDamagedBlobFile) {
  const NewContent large = ContentOf(std::string(1'500'000, 'L'));
  const Content content{large.digest, large.bytes->size(), 0};
  const auto journal = Open();
  const std::uint64_t epoch = journal->BeginEpoch().value();
  Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
  append.blobs = {large};
  ASSERT_TRUE(CommitOne(*journal, append, epoch));
  {
    std::fstream file(BlobFile(large.digest), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(777'777);
    file.put('X');
  }
  EXPECT_EQ(CodeOf(journal->ReadContent(content)), "JOURNAL_DAMAGED");
  std::filesystem::resize_file(BlobFile(large.digest), 100);
  EXPECT_EQ(CodeOf(journal->ReadContent(content)), "JOURNAL_DAMAGED");
  std::filesystem::remove(BlobFile(large.digest));
  EXPECT_EQ(CodeOf(journal->ReadContent(content)), "JOURNAL_DAMAGED");
}

TEST_F(SqliteJournalTest, ReplacesWhatACrashLeftOfABlobFile) {
  const NewContent large = ContentOf(std::string(1'500'000, 'L'));
  std::filesystem::create_directories(BlobFile(large.digest).parent_path());
  std::filesystem::create_directories(hub_ / "blobs" / "tmp");
  std::ofstream(BlobFile(large.digest)) << "torn";
  std::ofstream(hub_ / "blobs" / "tmp" / "unfinished") << "torn";
  const auto journal = Open();
  EXPECT_TRUE(std::filesystem::is_empty(hub_ / "blobs" / "tmp"));
  const std::uint64_t epoch = journal->BeginEpoch().value();
  EXPECT_FALSE(journal->HasBlob(large.digest).value());
  Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
  append.blobs = {large};
  ASSERT_TRUE(CommitOne(*journal, append, epoch));
  EXPECT_EQ(journal->ReadContent({large.digest, 1'500'000, 0}).value(), *large.bytes);
}

TEST_F(SqliteJournalTest, RefusesToOpenWhatIsNoJournal) {
  std::filesystem::create_directories(hub_);
  std::ofstream(hub_ / "journal.db") << std::string(5000, 'x');
  EXPECT_EQ(CodeOf(SqliteJournal::Open(hub_)), "JOURNAL_DAMAGED");
  EXPECT_EQ(CodeOf(SqliteJournal::OpenReadOnly(hub_)), "JOURNAL_DAMAGED");
  std::filesystem::remove_all(hub_);
  std::filesystem::create_directories(hub_ / "journal.db");
  EXPECT_EQ(CodeOf(SqliteJournal::Open(hub_)), "IO");
}

TEST_F(SqliteJournalTest, GapsOfRemovedStreamsAreFewAndSurviveAReopening) {
  constexpr std::uint64_t kStreams = 7;
  Fill(70, kStreams);
  Rows left;
  {
    const auto journal = Open();
    const std::uint64_t epoch = journal->BeginEpoch().value();
    std::uint64_t event = 70;
    std::uint64_t hub_version = 0;
    for (const int stream : {5, 1, 2, 0, 3}) {
      const std::string name = "plan_" + std::to_string(stream);
      JournalRow last = RowOf(name, 11, ++event, "end");
      last.live = false;
      ASSERT_TRUE(CommitOne(*journal, AppendOf(last), epoch));
      ++event;
      Append removal = AppendOf(RowOf("", ++hub_version, event, "gone"));
      removal.removals.push_back({PlanId(name), {}, {}});
      removal.give_back_pages = 10;
      const auto removed = CommitOne(*journal, removal, epoch);
      ASSERT_TRUE(removed) << removed.error().message;
    }
    left = AllRows(*journal);
    EXPECT_EQ(left.size(), 25) << "two plans of ten rows, and five of the hub";
    EXPECT_EQ(journal->LastEvent().value(), 80);
  }
  {
    Database database = Database::Open(hub_ / "journal.db", Database::Mode::kReadOnly).value();
    EXPECT_LE(database.QueryInt("SELECT count(*) FROM journal WHERE stream = 0").value(), 27);
    EXPECT_EQ(database.QueryInt("SELECT count(*) FROM streams").value(), 3);
  }
  const auto journal = Open();
  ASSERT_NE(journal, nullptr);
  EXPECT_EQ(AllRows(*journal), left);
  EXPECT_EQ(RowsOf(*journal, "plan_4").size(), 10);
  EXPECT_EQ(AllRows(*journal, 40).size(), AllRows(*journal).size() - 11);
  const std::uint64_t epoch = journal->BeginEpoch().value();
  EXPECT_TRUE(CommitOne(*journal, AppendOf(RowOf("plan_5", 1, 81, "anew")), epoch));
  EXPECT_EQ(RowsOf(*journal, "plan_5"), Rows{"plan_5/1@81+1:anew"});
}

TEST_F(SqliteJournalTest, ALostRowIsToldFromARemovedOne) {
  Fill(30, 3);
  {
    const auto journal = Open();
    const std::uint64_t epoch = journal->BeginEpoch().value();
    JournalRow last = RowOf("plan_1", 11, 31, "end");
    last.live = false;
    ASSERT_TRUE(CommitOne(*journal, AppendOf(last), epoch));
    Append removal = AppendOf(RowOf("", 1, 32, "gone"));
    removal.removals.push_back({PlanId("plan_1"), {}, {}});
    ASSERT_TRUE(CommitOne(*journal, removal, epoch));
  }
  Database database = Database::Open(hub_ / "journal.db", Database::Mode::kCreate).value();
  ASSERT_TRUE(database.Execute("DELETE FROM journal WHERE first_event = 14"));  // a gap
  const auto journal = Open();
  ASSERT_NE(journal, nullptr);
  EXPECT_NE(AllRows(*journal).back().find("damaged at event 14"), std::string::npos)
      << AllRows(*journal).back();
}

}  // namespace
}  // namespace agenttalk
