#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/journal_test_support.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"

// What every journal promises, whatever it is made of.
namespace agenttalk {
namespace {

using Rows = std::vector<std::string>;

class JournalContract : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "Memory") {
      journal_ = std::make_unique<MemoryJournal>();
    } else {
      auto opened = SqliteJournal::Open(directory_.path() / ".agenttalk");
      ASSERT_TRUE(opened) << opened.error().message;
      journal_ = *std::move(opened);
    }
    epoch_ = journal_->BeginEpoch().value();
  }

  std::string Add(JournalRow row) { return CodeOf(CommitOne(*journal_, AppendOf(std::move(row)), epoch_)); }
  std::string Add(Append append) { return CodeOf(CommitOne(*journal_, std::move(append), epoch_)); }

  TempDirectory directory_;
  std::unique_ptr<Journal> journal_;
  std::uint64_t epoch_ = 0;
};

TEST_P(JournalContract, IsEmptyAtFirst) {
  EXPECT_EQ(journal_->LastEvent().value(), 0);
  EXPECT_TRUE(journal_->Streams(false).value().empty());
  EXPECT_FALSE(journal_->FindStream(PlanId("plan_a")).value());
  EXPECT_EQ(AllRows(*journal_), Rows{});
  EXPECT_EQ(RowsOf(*journal_, "plan_a"), Rows{});
}

TEST_P(JournalContract, ReadsRowsBackInOrder) {
  EXPECT_EQ(Add(RowOf("plan_a", 1, 1, "one", 2)), "OK");
  EXPECT_EQ(Add(RowOf("plan_b", 1, 3, "two")), "OK");
  EXPECT_EQ(Add(RowOf("", 1, 4, std::string("\0hub", 4), 3)), "OK");
  EXPECT_EQ(Add(RowOf("plan_a", 2, 7, "")), "OK");
  const Rows all = {"plan_a/1@1+2:one", "plan_b/1@3+1:two", std::string("/1@4+3:\0hub", 11), "plan_a/2@7+1:"};
  EXPECT_EQ(AllRows(*journal_), all);
  EXPECT_EQ(RowsOf(*journal_, "plan_a"), (Rows{all[0], all[3]}));
  EXPECT_EQ(RowsOf(*journal_, ""), Rows{all[2]});
  EXPECT_EQ(journal_->LastEvent().value(), 7);
}

TEST_P(JournalContract, ReadsFromAPositionOn) {
  EXPECT_EQ(Add(RowOf("plan_a", 1, 1, "one", 3)), "OK");
  EXPECT_EQ(Add(RowOf("plan_a", 2, 4, "two")), "OK");
  EXPECT_EQ(Add(RowOf("plan_a", 3, 5, "three")), "OK");
  EXPECT_EQ(AllRows(*journal_, 2), (Rows{"plan_a/2@4+1:two", "plan_a/3@5+1:three"}));
  EXPECT_EQ(AllRows(*journal_, 4), Rows{"plan_a/3@5+1:three"});
  EXPECT_EQ(AllRows(*journal_, 5), Rows{});
  EXPECT_EQ(AllRows(*journal_, 99), Rows{});
  EXPECT_EQ(RowsOf(*journal_, "plan_a", 1), (Rows{"plan_a/2@4+1:two", "plan_a/3@5+1:three"}));
  EXPECT_EQ(RowsOf(*journal_, "plan_a", 3), Rows{});
  EXPECT_EQ(RowsOf(*journal_, "plan_a", 99), Rows{});
}

TEST_P(JournalContract, ReadsTheRowThatHoldsAnEvent) {
  EXPECT_EQ(Add(RowOf("plan_a", 1, 1, "one", 3)), "OK");
  EXPECT_EQ(Add(RowOf("plan_b", 1, 4, "two")), "OK");
  const auto row_of = [&](std::uint64_t event) {
    std::string found = "none";
    EXPECT_TRUE(journal_->ReadRow(event, [&](const JournalRowView& row) {
      found = std::string(row.stream) + ":" + std::string(row.events);
      return true;
    }));
    return found;
  };
  EXPECT_EQ(row_of(1), "plan_a:one");
  EXPECT_EQ(row_of(3), "plan_a:one");
  EXPECT_EQ(row_of(4), "plan_b:two");
  EXPECT_EQ(row_of(5), "none");
}

TEST_P(JournalContract, AVisitorMayStopAndMayReadOn) {
  EXPECT_EQ(Add(RowOf("plan_a", 1, 1, "one")), "OK");
  EXPECT_EQ(Add(RowOf("plan_b", 1, 2, "two")), "OK");
  Rows nested;
  int visits = 0;
  const auto visit = [&](const JournalRowView&) {
    ++visits;
    nested = RowsOf(*journal_, "plan_b");
    return false;
  };
  EXPECT_TRUE(journal_->ReadAll(0, visit));
  EXPECT_EQ(visits, 1);
  EXPECT_EQ(nested, Rows{"plan_b/1@2+1:two"});
}

TEST_P(JournalContract, ReadsStreamsThatInterleaveNearAndFar) {
  std::vector<Append> appends;
  std::uint64_t event = 1;
  std::vector<std::uint64_t> versions(40);
  Rows far;
  for (std::uint64_t round = 0; round < 30; ++round) {
    for (std::uint64_t s = 0; s < versions.size(); ++s) {
      if (s % 7 == round % 7) continue;
      const std::string name = "plan_" + std::to_string(s);
      appends.push_back(AppendOf(RowOf(name, ++versions[s], event++, std::to_string(round))));
      JournalRow& row = appends.back().rows[0];
      if (s == 3) far.push_back(Describe({name, row.version, row.first_event, 1, row.events}));
    }
  }
  ASSERT_TRUE(journal_->Commit(appends, epoch_));
  EXPECT_EQ(RowsOf(*journal_, "plan_3"), far);
  EXPECT_EQ(AllRows(*journal_).size(), appends.size());
}

TEST_P(JournalContract, AppendsToSeveralStreamsTogetherOrNotAtAll) {
  Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
  append.rows.push_back(RowOf("plan_b", 2, 2, "a version too far"));
  append.blobs.push_back(ContentOf("content"));
  EXPECT_EQ(Add(append), "VERSION_CONFLICT");
  EXPECT_EQ(AllRows(*journal_), Rows{});
  EXPECT_FALSE(journal_->HasBlob(append.blobs[0].digest).value());
  EXPECT_TRUE(journal_->Streams(false).value().empty());

  append.rows[1].version = 1;
  EXPECT_EQ(Add(append), "OK");
  EXPECT_EQ(AllRows(*journal_).size(), 2);
  EXPECT_TRUE(journal_->HasBlob(append.blobs[0].digest).value());
}

TEST_P(JournalContract, RefusesAWholeBatchForOneBadAppend) {
  std::vector<Append> batch;
  batch.push_back(AppendOf(RowOf("plan_a", 1, 1, "one")));
  batch.push_back(AppendOf(RowOf("plan_a", 1, 2, "again version one")));
  EXPECT_EQ(CodeOf(journal_->Commit(batch, epoch_)), "VERSION_CONFLICT");
  EXPECT_EQ(AllRows(*journal_), Rows{});
  batch[1].rows[0].version = 2;
  EXPECT_EQ(CodeOf(journal_->Commit(batch, epoch_)), "OK");
  EXPECT_EQ(RowsOf(*journal_, "plan_a").size(), 2);
}

TEST_P(JournalContract, RefusesEventNumbersThatAreNotDense) {
  EXPECT_EQ(Add(RowOf("plan_a", 1, 2, "a gap")), "VERSION_CONFLICT");
  EXPECT_EQ(Add(RowOf("plan_a", 1, 1, "one", 2)), "OK");
  EXPECT_EQ(Add(RowOf("plan_a", 2, 2, "an overlap")), "VERSION_CONFLICT");
  EXPECT_EQ(Add(RowOf("plan_a", 2, 4, "a gap")), "VERSION_CONFLICT");
  EXPECT_EQ(Add(RowOf("plan_a", 2, 3, "no events", 0)), "VERSION_CONFLICT");
  EXPECT_EQ(Add(RowOf("plan_a", 2, 3, "two")), "OK");
}

TEST_P(JournalContract, FencesOffAnOlderEpoch) {
  EXPECT_EQ(Add(RowOf("plan_a", 1, 1, "one")), "OK");
  const std::uint64_t newer = journal_->BeginEpoch().value();
  EXPECT_GT(newer, epoch_);
  EXPECT_EQ(Add(RowOf("plan_a", 2, 2, "late")), "FENCED");
  EXPECT_EQ(CodeOf(CommitOne(*journal_, AppendOf(RowOf("plan_a", 2, 2, "early")), newer + 1)), "FENCED");
  EXPECT_EQ(CodeOf(CommitOne(*journal_, AppendOf(RowOf("plan_a", 2, 2, "two")), newer)), "OK");
  EXPECT_EQ(RowsOf(*journal_, "plan_a", 1), Rows{"plan_a/2@2+1:two"});
}

TEST_P(JournalContract, ReadsContentsOfRowsAndBlobs) {
  const NewContent small = ContentOf("small");
  const NewContent other = ContentOf(std::string(1000, 'x'));
  const NewContent large = ContentOf(std::string(100'000, 'y'));
  Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
  append.rows[0].contents = {small, other};
  append.blobs = {large};
  EXPECT_EQ(Add(append), "OK");

  EXPECT_EQ(journal_->ReadContent({small.digest, 5, 1}).value(), "small");
  EXPECT_EQ(journal_->ReadContent({other.digest, 1000, 1}).value(), *other.bytes);
  EXPECT_EQ(journal_->ReadContent({large.digest, 100'000, 0}).value(), *large.bytes);
  EXPECT_EQ(CodeOf(journal_->ReadContent({small.digest, 5, 0})), "NOT_FOUND");
  EXPECT_EQ(CodeOf(journal_->ReadContent({large.digest, 5, 1})), "NOT_FOUND");
  EXPECT_EQ(CodeOf(journal_->ReadContent({small.digest, 5, 2})), "NOT_FOUND");
  EXPECT_FALSE(journal_->HasBlob(small.digest).value());
  EXPECT_TRUE(journal_->HasBlob(large.digest).value());
}

TEST_P(JournalContract, TakesTheSameBlobTwice) {
  const NewContent blob = ContentOf(std::string(5000, 'z'));
  Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
  append.blobs = {blob, blob};
  EXPECT_EQ(Add(append), "OK");
  append.rows[0] = RowOf("plan_a", 2, 2, "two");
  EXPECT_EQ(Add(append), "OK");
  EXPECT_EQ(journal_->ReadContent({blob.digest, 5000, 0}).value(), *blob.bytes);
}

TEST_P(JournalContract, KeepsTheLatestSnapshot) {
  EXPECT_FALSE(journal_->LatestSnapshot(PlanId("plan_a")).value());
  Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
  append.snapshots.push_back({PlanId("plan_a"), 1, 1, "first"});
  EXPECT_EQ(Add(append), "OK");
  append = AppendOf(RowOf("plan_a", 2, 2, "two"));
  append.snapshots.push_back({PlanId("plan_a"), 2, 2, std::string(50'000, 's')});
  EXPECT_EQ(Add(append), "OK");
  const std::optional<Snapshot> latest = journal_->LatestSnapshot(PlanId("plan_a")).value();
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->version, 2);
  EXPECT_EQ(latest->last_event, 2);
  EXPECT_EQ(latest->state, std::string(50'000, 's'));
}

TEST_P(JournalContract, RefusesASnapshotAheadOfItsStream) {
  Append append = AppendOf(RowOf("plan_a", 1, 1, "one"));
  append.snapshots.push_back({PlanId("plan_a"), 2, 1, "the future"});
  EXPECT_EQ(Add(append), "VERSION_CONFLICT");
  append.snapshots[0] = {PlanId("plan_b"), 1, 1, "of nothing"};
  EXPECT_EQ(Add(append), "VERSION_CONFLICT");
  EXPECT_EQ(AllRows(*journal_), Rows{});
}

TEST_P(JournalContract, KnowsWhichStreamsAreLive) {
  JournalRow last = RowOf("plan_a", 2, 3, "the end");
  last.live = false;
  EXPECT_EQ(Add(RowOf("plan_a", 1, 1, "one")), "OK");
  EXPECT_EQ(Add(RowOf("plan_b", 1, 2, "one")), "OK");
  EXPECT_EQ(Add(last), "OK");
  ASSERT_EQ(journal_->Streams(true).value().size(), 1);
  EXPECT_EQ(journal_->Streams(true).value()[0].stream, PlanId("plan_b"));
  EXPECT_EQ(journal_->Streams(false).value().size(), 2);
  const std::optional<StreamInfo> ended = journal_->FindStream(PlanId("plan_a")).value();
  ASSERT_TRUE(ended);
  EXPECT_FALSE(ended->live);
  EXPECT_EQ(ended->version, 2);

  EXPECT_EQ(Add(RowOf("plan_a", 2, 4, "a wrong version")), "VERSION_CONFLICT");
  EXPECT_EQ(Add(RowOf("plan_a", 3, 4, "reopened")), "OK");
  EXPECT_EQ(journal_->Streams(true).value().size(), 2);
  EXPECT_EQ(RowsOf(*journal_, "plan_a").size(), 3);
}

TEST_P(JournalContract, AStreamMayBeginEndAndReopenInOneCommit) {
  std::vector<Append> batch;
  for (std::uint64_t i = 1; i <= 5; ++i) {
    batch.push_back(AppendOf(RowOf("plan_a", i, i, std::to_string(i))));
    batch.back().rows[0].live = i != 3 && i != 5;
  }
  ASSERT_TRUE(journal_->Commit(batch, epoch_));
  EXPECT_TRUE(journal_->Streams(true).value().empty());
  EXPECT_EQ(journal_->FindStream(PlanId("plan_a")).value()->version, 5);
  EXPECT_EQ(RowsOf(*journal_, "plan_a").size(), 5);
  EXPECT_EQ(Add(RowOf("plan_a", 6, 6, "6")), "OK");
}

INSTANTIATE_TEST_SUITE_P(, JournalContract, testing::Values("Memory", "Sqlite"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace agenttalk
