#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "journal/journal.h"
#include "journal/journal_test_support.h"
#include "journal/memory_journal.h"
#include "journal/plan_directory.h"
#include "journal/plan_summary.h"
#include "journal/row_format.h"
#include "journal/sqlite_journal.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"
#include "model/content/plan_tags.h"

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

TEST_P(JournalContract, FindsAPageOfADirectoryByName) {
  const PlanId plan("plan_a");
  const auto page = [&](const char* name) { return journal_->DirectoryPage(plan, name).value(); };
  EXPECT_FALSE(page("t1"));
  EXPECT_EQ(Add(RowOf("plan_a", 1, 1, "one")), "OK");
  EXPECT_FALSE(page("t1"));
  Append append = AppendOf(RowOf("plan_a", 2, 2, "two"));
  append.rows.front().live = false;
  append.directories.push_back({.stream = plan, .version = 2, .pages = {"page 0", "page 1", "page 2"}});
  EXPECT_EQ(Add(std::move(append)), "OK");
  for (const char* name : {"t1", "t2", "cmd_t1_001", ""}) {
    EXPECT_EQ(page(name), "page " + std::to_string(PlanDirectory::PageOf(name, 3))) << name;
  }
  EXPECT_FALSE(journal_->DirectoryPage(PlanId("plan_b"), "t1").value());
  // Whatever is added to the plan, the directory does not know it.
  EXPECT_EQ(Add(RowOf("plan_a", 3, 3, "three")), "OK");
  EXPECT_FALSE(page("t1"));
  append = AppendOf(RowOf("plan_a", 4, 4, "four"));
  append.rows.front().live = false;
  append.directories.push_back({.stream = plan, .version = 4, .pages = {"other"}});
  EXPECT_EQ(Add(std::move(append)), "OK");
  EXPECT_EQ(page("t1"), "other");
  Append removal = AppendOf(RowOf("", 1, 5, "removed"));
  removal.removals.push_back({.stream = plan, .kept = {}, .blobs = {}});
  EXPECT_EQ(Add(std::move(removal)), "OK");
  EXPECT_FALSE(page("t1"));
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
  const auto row_of = [&](std::uint64_t event, const char* stream) {
    std::string found = "none";
    EXPECT_TRUE(journal_->ReadRow(PlanId(stream), event, [&](const JournalRowView& row) {
      found = std::string(row.stream) + ":" + std::string(row.events);
      return true;
    }));
    return found;
  };
  EXPECT_EQ(row_of(1, "plan_a"), "plan_a:one");
  EXPECT_EQ(row_of(3, "plan_a"), "plan_a:one");
  EXPECT_EQ(row_of(4, "plan_a"), "none");
  EXPECT_EQ(row_of(4, "plan_b"), "plan_b:two");
  EXPECT_EQ(row_of(5, "plan_b"), "none");
}

TEST_P(JournalContract, CopiesTheRowThatHoldsAnEventWithItsContents) {
  const NewContent small = ContentOf("small");
  JournalRow row = RowOf("plan_a", 1, 1, "one", 3);
  row.contents.push_back(small);
  EXPECT_EQ(Add(std::move(row)), "OK");
  EXPECT_EQ(Add(RowOf("plan_b", 1, 4, "two")), "OK");
  const auto copies = journal_->CopyRows(3).value();
  ASSERT_FALSE(copies.empty());
  EXPECT_EQ(copies[0].stream, "plan_a");
  EXPECT_EQ(copies[0].first_event, 1);
  const auto payload = DecodePayload(copies[0].payload);
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->events, "one");
  EXPECT_EQ(payload->event_count, 3);
  EXPECT_EQ(FindContent(payload->contents, small.digest), *small.bytes);
  if (copies.size() > 1) {
    EXPECT_EQ(copies[1].stream, "plan_b");
  }
  EXPECT_EQ(journal_->CopyRows(4).value().at(0).stream, "plan_b");
  EXPECT_TRUE(journal_->CopyRows(5).value().empty());
  EXPECT_TRUE(journal_->CopyRows(0).value().empty());
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
  EXPECT_EQ(CodeOf(journal_->ReadContent({large.digest, 5, 1})), "OK") << "found by what it is";
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

// A row of a plan that has ended, with its summary.
JournalRow LastRow(const std::string& plan, std::uint64_t version, std::uint64_t event, const char* state,
                   std::string goal = "") {
  JournalRow row = RowOf(plan, version, event, "end");
  row.live = false;
  PlanSummary summary;
  summary.plan = PlanId(plan);
  summary.state = state;
  summary.goal = std::move(goal);
  summary.updated_at = summary.created_at = Timestamp(Duration(static_cast<std::int64_t>(event) * 1000));
  row.summary = std::make_shared<const PlanSummary>(std::move(summary));
  return row;
}

std::string NamesOf(const std::vector<PlanSummary>& found) {
  std::string names;
  for (const PlanSummary& one : found) names += one.plan.str() + (one.exact ? " " : "? ");
  return names;
}

TEST_P(JournalContract, ListsPlansByTheirSummaries) {
  EXPECT_TRUE(journal_->HasAllSummaries().value());
  EXPECT_EQ(Add(LastRow("plan_a", 1, 1, "completed", "Bees 100%")), "OK");
  EXPECT_EQ(Add(LastRow("plan_b", 1, 2, "failed", "ants")), "OK");
  EXPECT_EQ(Add(LastRow("plan_c", 1, 3, "completed")), "OK");
  SummaryQuery query;
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_c plan_b plan_a ");
  query.before = journal_->OrderOf(PlanId("plan_c")).value().value();
  query.limit = 1;
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_b ");
  query = {};
  query.state = "completed";
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_c plan_a ");
  query.text = "bees 100%";
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_a ");
  query.text = "bees_100";
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "");
  query = {};
  query.since = Timestamp(Duration(2000));
  query.until = Timestamp(Duration(3000));
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_b ");
  EXPECT_FALSE(journal_->OrderOf(PlanId("plan_x")).value());

  // Live again, it has to be asked itself, and is listed whatever is asked for.
  EXPECT_EQ(Add(RowOf("plan_b", 2, 4, "again")), "OK");
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_b? ");
  EXPECT_EQ(Add(LastRow("plan_b", 3, 5, "cancelled")), "OK");
  query = {};
  query.state = "cancelled";
  const std::vector<PlanSummary> cancelled = journal_->Summaries(query).value();
  ASSERT_EQ(NamesOf(cancelled), "plan_b ");
  EXPECT_EQ(cancelled[0].created_at, Timestamp(Duration(2000))) << "of its first row";
}

TEST_P(JournalContract, LivePlansMayComeBesideTheLimit) {
  EXPECT_EQ(Add(LastRow("plan_a", 1, 1, "completed")), "OK");
  EXPECT_EQ(Add(LastRow("plan_b", 1, 2, "failed")), "OK");
  for (std::uint64_t i = 3; i <= 5; ++i) {
    JournalRow live = LastRow("plan_" + std::to_string(i), 1, i, "running");
    live.live = true;
    EXPECT_EQ(Add(std::move(live)), "OK");
  }
  SummaryQuery query;
  query.limit = 1;
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_5? ");
  query.counts_live = false;
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_5? plan_4? plan_3? plan_b ");
  query.state = "completed";
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_5? plan_4? plan_3? plan_a ");
  query.text = "none";
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_5? plan_4? plan_3? ");
}

// A row of a plan that has ended, with these tags.
JournalRow TaggedRow(const std::string& plan, std::uint64_t event, PlanTags tags) {
  JournalRow row = LastRow(plan, 1, event, "completed");
  PlanSummary summary = *row.summary;
  summary.tags = std::move(tags);
  row.summary = std::make_shared<const PlanSummary>(std::move(summary));
  return row;
}

TEST_P(JournalContract, ListsPlansByTheirTags) {
  EXPECT_EQ(Add(TaggedRow("plan_a", 1, {"weekly", "client-x"})), "OK");
  EXPECT_EQ(Add(TaggedRow("plan_b", 2, {"week"})), "OK");
  EXPECT_EQ(Add(TaggedRow("plan_c", 3, {})), "OK");
  SummaryQuery query;
  query.tag = "week";
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "plan_b ") << "the whole tag, not its beginning";
  query.tag = "client-x";
  const std::vector<PlanSummary> found = journal_->Summaries(query).value();
  ASSERT_EQ(NamesOf(found), "plan_a ");
  EXPECT_EQ(found[0].tags, (PlanTags{"weekly", "client-x"}));
  query.tag = "none";
  EXPECT_EQ(NamesOf(journal_->Summaries(query).value()), "");
  EXPECT_EQ(NamesOf(journal_->Summaries({}).value()), "plan_c plan_b plan_a ");
}

TEST_P(JournalContract, RemovesAStreamAndKeepsWhatOthersName) {
  const NewContent kept = ContentOf("named by another plan");
  const NewContent gone = ContentOf("named by nobody else");
  const NewContent blob = ContentOf(std::string(5000, 'b'));
  const NewContent file = ContentOf(std::string((std::size_t{1} << 20) + 10, 'f'));
  const auto in_row = [](const NewContent& of, std::uint64_t row) {
    return Content{of.digest, of.bytes->size(), row};
  };
  Append first = AppendOf(RowOf("plan_a", 1, 1, "one", 2));
  first.rows[0].contents = {kept, gone};
  first.blobs = {blob, file};
  EXPECT_EQ(Add(std::move(first)), "OK");
  EXPECT_EQ(Add(RowOf("plan_b", 1, 3, "two")), "OK");
  EXPECT_EQ(Add(RowOf("plan_a", 2, 4, "three")), "OK");
  EXPECT_EQ(Add(LastRow("plan_a", 3, 5, "completed")), "OK");

  Append removal = AppendOf(RowOf("", 1, 6, "plan_a was removed"));
  removal.removals.push_back({PlanId("plan_b"), {}, {}});
  EXPECT_EQ(Add(removal), "VERSION_CONFLICT") << "it is live";
  removal.removals = {{PlanId("plan_a"), {in_row(kept, 1)}, {blob.digest, file.digest}}};
  removal.give_back_pages = 100;
  EXPECT_EQ(Add(std::move(removal)), "OK");

  EXPECT_FALSE(journal_->FindStream(PlanId("plan_a")).value());
  EXPECT_EQ(AllRows(*journal_), (Rows{"plan_b/1@3+1:two", "/1@6+1:plan_a was removed"}));
  EXPECT_EQ(RowsOf(*journal_, "plan_a"), Rows{});
  EXPECT_EQ(journal_->LastEvent().value(), 6);
  EXPECT_EQ(journal_->ReadContent(in_row(kept, 1)).value(), *kept.bytes);
  EXPECT_EQ(CodeOf(journal_->ReadContent(in_row(gone, 1))), "NOT_FOUND");
  EXPECT_EQ(CodeOf(journal_->ReadContent(in_row(blob, 0))), "NOT_FOUND");
  EXPECT_EQ(CodeOf(journal_->ReadContent(in_row(file, 0))), "NOT_FOUND");
  EXPECT_EQ(NamesOf(journal_->Summaries({}).value()), "");
  EXPECT_EQ(journal_->Streams(false).value().size(), 2);

  // The name is free again; numbers go on.
  EXPECT_EQ(Add(LastRow("plan_a", 1, 7, "failed")), "OK");
  EXPECT_EQ(RowsOf(*journal_, "plan_a"), Rows{"plan_a/1@7+1:end"});
  EXPECT_EQ(AllRows(*journal_, 5).size(), 2);
}

TEST_P(JournalContract, ImportsAStreamWithItsNumbers) {
  const NewContent small = ContentOf("of another journal");
  EXPECT_EQ(Add(RowOf("plan_here", 1, 1, "one", 2)), "OK");
  Append import = AppendOf(RowOf("", 1, 12, "plan_x came"));
  import.skip_to = 12;
  import.imports = {{PlanId("plan_x"), {{2, 1, "first"}, {9, 3, "second"}}, nullptr}};
  import.blobs = {small};
  EXPECT_EQ(Add(import), "OK");
  EXPECT_EQ(RowsOf(*journal_, "plan_x"), (Rows{"plan_x/1@2+1:first", "plan_x/2@9+3:second"}));
  EXPECT_EQ(RowsOf(*journal_, "plan_x", 1), Rows{"plan_x/2@9+3:second"});
  EXPECT_EQ(AllRows(*journal_), (Rows{"plan_here/1@1+2:one", "/1@12+1:plan_x came"}));
  EXPECT_EQ(journal_->LastEvent().value(), 12);
  EXPECT_EQ(journal_->FindStream(PlanId("plan_x")).value()->imported_rows, 2);
  // Row 2 is not here; the bytes are found by what they are.
  EXPECT_EQ(journal_->ReadContent({small.digest, small.bytes->size(), 2}).value(), *small.bytes);
  std::string found;
  EXPECT_TRUE(journal_->ReadRow(PlanId("plan_x"), 10, [&](const JournalRowView& row) {
    found = row.events;
    return true;
  }));
  EXPECT_EQ(found, "second");

  EXPECT_EQ(Add(LastRow("plan_x", 3, 13, "completed")), "OK");
  EXPECT_EQ(RowsOf(*journal_, "plan_x").size(), 3);
  import.rows = {RowOf("", 2, 14, "again")};
  import.skip_to = 0;
  EXPECT_EQ(Add(import), "VERSION_CONFLICT") << "it is there already";
  Append removal = AppendOf(RowOf("", 2, 14, "gone"));
  removal.removals = {{PlanId("plan_x"), {}, {small.digest}}};
  EXPECT_EQ(Add(std::move(removal)), "OK");
  EXPECT_EQ(RowsOf(*journal_, "plan_x"), Rows{});
  EXPECT_EQ(Add(std::move(import)), "VERSION_CONFLICT") << "its hub row is of the past";
  EXPECT_EQ(AllRows(*journal_), (Rows{"plan_here/1@1+2:one", "/1@12+1:plan_x came", "/2@14+1:gone"}));
}

INSTANTIATE_TEST_SUITE_P(, JournalContract, testing::Values("Memory", "Sqlite"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace agenttalk
