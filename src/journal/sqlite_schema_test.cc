#include "journal/sqlite_schema.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/journal_test_support.h"
#include "journal/plan_summary.h"
#include "journal/sqlite.h"
#include "journal/sqlite_journal.h"

namespace agenttalk {
namespace {

constexpr const char* kFirstStep =
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE thing(a INTEGER)";
constexpr std::array kOne = {Migration{1, kFirstStep}};
constexpr std::array kThree = {Migration{1, kFirstStep},
                               Migration{2, "ALTER TABLE thing ADD COLUMN b INTEGER"},
                               Migration{3, "INSERT INTO thing(a, b) SELECT count(*), 7 FROM thing"}};
constexpr std::array kBroken = {Migration{1, kFirstStep},
                                Migration{2, "ALTER TABLE thing ADD COLUMN b INTEGER"},
                                Migration{3, "DELETE FROM thing; DELETE FROM no_such_table"}};

// A journal as format version 1 writes it: one row of one event, "hello", in stream "plan_a". The checksums
// were computed by another program from the description in docs/formats/journal.md.
constexpr const char* kVersionOneFile = R"(
CREATE TABLE meta(
  key TEXT PRIMARY KEY,
  value INTEGER NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE journal(
  first_event INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  version INTEGER NOT NULL,
  previous INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  payload BLOB NOT NULL
);
CREATE TABLE streams(
  number INTEGER PRIMARY KEY,
  live INTEGER NOT NULL,
  version INTEGER NOT NULL,
  last_row INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  name TEXT NOT NULL
);
CREATE UNIQUE INDEX streams_by_name ON streams(name);
CREATE TABLE snapshots(
  stream INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  last_event INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  state BLOB NOT NULL
);
CREATE TABLE blobs(
  number INTEGER PRIMARY KEY,
  digest BLOB NOT NULL,
  size INTEGER NOT NULL,
  bytes BLOB
);
CREATE INDEX blobs_by_digest ON blobs(substr(digest, 1, 8));
INSERT INTO meta VALUES('epoch', 1, 901447487), ('recorded_through', 1, 3089476724),
  ('schema_version', 1, 4142361004), ('stream_count', 1, 2936929686);
INSERT INTO journal VALUES(1, 1, 1, 0, 1227370384, x'010568656C6C6F');
INSERT INTO streams VALUES(1, 1, 1, 1, 4136038274, 'plan_a');
)";

class MigrationTest : public testing::Test {
 protected:
  Database Open() { return Database::Open(directory_.path() / "file.db", Database::Mode::kCreate).value(); }
  TempDirectory directory_;
};

TEST_F(MigrationTest, TakesAnOldFileThroughEveryStep) {
  {
    Database old = Open();
    ASSERT_TRUE(Migrate(old, kOne));
    ASSERT_TRUE(RequireVersion(old, kOne));
    ASSERT_TRUE(old.Execute("INSERT INTO thing VALUES(1), (2)"));
  }
  Database database = Open();
  EXPECT_EQ(CodeOf(RequireVersion(database, kThree)), "JOURNAL_VERSION");
  ASSERT_TRUE(Migrate(database, kThree));
  ASSERT_TRUE(RequireVersion(database, kThree));
  EXPECT_EQ(database.QueryInt("SELECT a FROM thing WHERE b = 7").value(), 2);
  ASSERT_TRUE(Migrate(database, kThree));
  EXPECT_EQ(database.QueryInt("SELECT count(*) FROM thing").value(), 3);
}

TEST_F(MigrationTest, AFailedStepLeavesTheVersionBefore) {
  Database database = Open();
  ASSERT_TRUE(Migrate(database, kOne));
  ASSERT_TRUE(database.Execute("INSERT INTO thing VALUES(1)"));
  EXPECT_FALSE(Migrate(database, kBroken));
  EXPECT_EQ(database.QueryInt("SELECT count(*) FROM thing").value(), 1);
  EXPECT_EQ(database.QueryInt("SELECT value FROM meta WHERE key = 'schema_version'").value(), 2);
  EXPECT_TRUE(Migrate(database, kThree));
}

TEST_F(MigrationTest, RefusesAFileOfANewerProgram) {
  Database database = Open();
  ASSERT_TRUE(Migrate(database, kThree));
  EXPECT_EQ(CodeOf(Migrate(database, kOne)), "JOURNAL_VERSION");
  EXPECT_EQ(CodeOf(RequireVersion(database, kOne)), "JOURNAL_VERSION");
}

TEST_F(MigrationTest, OpensAJournalOfFormatVersionOne) {
  const std::filesystem::path hub = directory_.path() / ".agenttalk";
  std::filesystem::create_directories(hub);
  {
    Database old = Database::Open(hub / "journal.db", Database::Mode::kCreate).value();
    ASSERT_TRUE(old.Execute(kVersionOneFile));
  }
  auto journal = SqliteJournal::Open(hub);
  ASSERT_TRUE(journal) << journal.error().message;
  EXPECT_EQ((*journal)->BeginEpoch().value(), 2);
  EXPECT_EQ(AllRows(**journal), std::vector<std::string>{"plan_a/1@1+1:hello"});
  EXPECT_TRUE(CommitOne(**journal, AppendOf(RowOf("plan_a", 2, 2, "on")), 2));
}

// What a reader and a writer find in a journal whose plans have no column for tags.
TEST_F(MigrationTest, AJournalWithoutTagsListsItsPlans) {
  const std::filesystem::path hub = directory_.path() / ".agenttalk";
  {
    auto journal = SqliteJournal::Open(hub).value();
    const std::uint64_t epoch = journal->BeginEpoch().value();
    Append append = AppendOf(RowOf("plan_a", 1, 1, "end"));
    PlanSummary summary;
    summary.plan = PlanId("plan_a");
    summary.state = "completed";
    append.rows[0].live = false;
    append.rows[0].summary = std::make_shared<const PlanSummary>(summary);
    ASSERT_TRUE(CommitOne(*journal, std::move(append), epoch));
  }
  {
    Database old = Database::Open(hub / "journal.db", Database::Mode::kCreate).value();
    ASSERT_TRUE(old.Execute("ALTER TABLE plans DROP COLUMN tags"));
    ASSERT_TRUE(MetaTable::Open(old).value().Set("schema_version", 4));
  }
  SummaryQuery tagged;
  tagged.tag = "weekly";
  const auto expect_listed = [&](Journal& journal) {
    const std::vector<PlanSummary> found = journal.Summaries({}).value();
    ASSERT_EQ(found.size(), 1);
    EXPECT_TRUE(found[0].exact && found[0].tags.empty());
    EXPECT_TRUE(journal.Summaries(tagged).value().empty());
  };
  expect_listed(*SqliteJournal::OpenReadOnly(hub).value());
  expect_listed(*SqliteJournal::Open(hub).value());
  Database now = Database::Open(hub / "journal.db", Database::Mode::kReadOnly).value();
  EXPECT_TRUE(RequireVersion(now, JournalMigrations()));
}

}  // namespace
}  // namespace agenttalk
