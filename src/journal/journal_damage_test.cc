#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/journal_test_support.h"
#include "journal/sqlite.h"
#include "journal/sqlite_journal.h"
#include "model/content/content.h"

// Flips bytes of a journal file and reads all of it. Whatever is hit: the answer is the truth or an error.
namespace agenttalk {
namespace {

constexpr std::size_t kPage = 16384;

// Everything that a reader can learn, in one comparable piece; the first error ends it.
struct Reading {
  std::vector<std::string> facts;
  Error error;  // message empty: none
};

template <typename T>
bool Note(Reading& reading, const Result<T>& result) {
  if (!result && reading.error.message.empty()) reading.error = result.error();
  return result.has_value();
}

void ReadStreams(Journal& journal, Reading& reading) {
  const auto streams = journal.Streams(false);
  if (!Note(reading, streams)) return;
  for (const StreamInfo& stream : *streams) {
    reading.facts.push_back(stream.stream.str() + "=" + std::to_string(stream.version) +
                            (stream.live ? "+" : "-"));
    Note(reading, journal.ReadStream(stream.stream, 0, CollectInto(reading.facts)));
  }
}

Reading ReadEverything(const std::filesystem::path& hub, const std::vector<Content>& contents) {
  Reading reading;
  auto opened = SqliteJournal::OpenReadOnly(hub);
  if (!Note(reading, opened)) return reading;
  Journal& journal = **opened;
  Note(reading, journal.ReadAll(0, CollectInto(reading.facts)));
  ReadStreams(journal, reading);
  const auto last = journal.LastEvent();
  if (Note(reading, last)) reading.facts.push_back("last " + std::to_string(*last));
  for (const Content& content : contents) {
    const auto bytes = journal.ReadContent(content);
    if (Note(reading, bytes)) reading.facts.push_back(*bytes);
  }
  return reading;
}

class JournalDamageTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto journal = SqliteJournal::Open(hub_).value();
    const std::uint64_t epoch = journal->BeginEpoch().value();
    std::uint64_t event = 1;
    for (std::uint64_t version = 1; version <= 4; ++version) {
      for (const std::string name : {"plan_a", "plan_b"}) {
        Append append = AppendOf(RowOf(name, version, event, "events of " + std::to_string(event), 2));
        append.rows[0].contents = {ContentOf("content " + std::to_string(event))};
        append.rows[0].live = name == "plan_a" || version < 4;
        contents_.push_back({append.rows[0].contents[0].digest, 9, event});
        if (event == 1) {
          append.blobs = {ContentOf(std::string(300, 'b'))};
          contents_.push_back({append.blobs[0].digest, 300, 0});
        }
        ASSERT_TRUE(CommitOne(*journal, append, epoch));
        event += 2;
      }
    }
  }

  [[nodiscard]] std::filesystem::path File() const { return hub_ / "journal.db"; }
  [[nodiscard]] std::string Bytes() const {
    std::ifstream in(File(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Put(std::size_t position, char byte) const {
    std::fstream file(File(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(position));
    file.put(byte);
  }
  std::uint64_t RootPage(const std::string& table) const {
    auto database = Database::Open(File(), Database::Mode::kReadOnly).value();
    return database.QueryInt("SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'").value();
  }
  // Flips each byte that is in use (and some that are not) of [begin, end).
  void FlipEach(std::size_t begin, std::size_t end, char mask) {
    const std::string bytes = Bytes();
    const Reading before = ReadEverything(hub_, contents_);
    ASSERT_EQ(before.error.message, "");
    for (std::size_t at = begin; at < end; ++at) {
      if (bytes[at] == 0 && at % 512 != 0 && at % kPage > 128) continue;
      Put(at, static_cast<char>(bytes[at] ^ mask));
      const Reading after = ReadEverything(hub_, contents_);
      if (after.error.message.empty()) {
        EXPECT_TRUE(after.facts == before.facts) << "byte " << at << " of page " << at / kPage + 1;
      } else {
        ++refused_;
        if (after.error.message.find("at event") != std::string::npos) ++with_position_;
      }
      Put(at, bytes[at]);
    }
    EXPECT_TRUE(ReadEverything(hub_, contents_).facts == before.facts);
  }
  void FlipPageOf(const std::string& table, char mask) {
    const std::size_t page = RootPage(table) - 1;
    FlipEach(page * kPage, (page + 1) * kPage, mask);
  }

  TempDirectory directory_;
  std::filesystem::path hub_ = directory_.path() / ".agenttalk";
  std::vector<Content> contents_;
  int refused_ = 0;
  int with_position_ = 0;
};

TEST_F(JournalDamageTest, AFlippedByteOfARowIsNeverReadAsData) {
  FlipPageOf("journal", '\xFF');
  EXPECT_GT(with_position_, 500);  // nearly all of the rows' bytes: events, contents, keys, checksums
}

TEST_F(JournalDamageTest, AFlippedBitOfARowIsNeverReadAsData) {
  FlipPageOf("journal", '\x01');
  FlipPageOf("journal", '\x04');
  EXPECT_GT(with_position_, 1000);
}

TEST_F(JournalDamageTest, AFlippedBitOfAStreamRecordIsNeverReadAsData) {
  FlipPageOf("streams", '\x01');
  FlipPageOf("streams_by_name", '\x01');
  EXPECT_GT(refused_, 50);
}

TEST_F(JournalDamageTest, AFlippedBitOfABlobIsNeverReadAsData) {
  FlipPageOf("blobs", '\x01');
  EXPECT_GT(refused_, 300);
}

TEST_F(JournalDamageTest, AFlippedBitOfTheFileHeaderOrMetaIsNeverReadAsData) {
  FlipEach(0, 128, '\x01');
  FlipPageOf("meta", '\x01');
  EXPECT_GT(refused_, 20);
}

// The writer must not go on behind a tail that the disk has lost.
TEST_F(JournalDamageTest, TheWriterRefusesAJournalThatLostItsLastRows) {
  const std::size_t page = (RootPage("journal") - 1) * kPage;
  const std::string bytes = Bytes();
  ASSERT_EQ(bytes[page + 4], 8);  // the number of cells
  for (char cells = 0; cells < 8; ++cells) {
    Put(page + 4, cells);
    const auto opened = SqliteJournal::Open(hub_);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kJournalDamaged);
    EXPECT_NE(opened.error().message.find("event"), std::string::npos);
  }
}

// A name that the index no longer finds would begin a second stream of that name.
TEST_F(JournalDamageTest, TheWriterRefusesADamagedIndexOfNames) {
  const std::string bytes = Bytes();
  const std::size_t page = (RootPage("streams_by_name") - 1) * kPage;
  for (const std::string name : {"plan_a", "plan_b"}) {
    const std::size_t at = bytes.find(name, page) + name.size() - 1;
    for (const char letter : {'A', 'x'}) {
      Put(at, letter);
      EXPECT_EQ(CodeOf(SqliteJournal::Open(hub_)), "JOURNAL_DAMAGED") << name << letter;
    }
    Put(at, bytes[at]);
  }
  EXPECT_EQ(CodeOf(SqliteJournal::Open(hub_)), "OK");
}

// The records of streams that have ended are not read at a start; what is known of all of them says when one
// is missing or only seems to have ended.
TEST_F(JournalDamageTest, TheWriterRefusesAJournalThatLostTheRecordOfAStream) {
  const auto change = [&](const std::string& sql) {
    Database database = Database::Open(hub_ / "journal.db", Database::Mode::kCreate).value();
    ASSERT_TRUE(database.Execute(sql)) << sql;
  };
  const std::string bytes = Bytes();
  for (const std::string& sql : {std::string("UPDATE streams SET live = 0 WHERE name = 'plan_a'"),
                                 std::string("UPDATE streams SET live = 1, crc = 1 WHERE name = 'plan_b'"),
                                 std::string("DELETE FROM streams WHERE name = 'plan_a'"),
                                 std::string("UPDATE streams SET number = 77 WHERE name = 'plan_a'"),
                                 std::string("INSERT INTO streams VALUES(9, 0, 1, 1, 1, 'plan_x')")}) {
    change(sql);
    EXPECT_EQ(CodeOf(SqliteJournal::Open(hub_)), "JOURNAL_DAMAGED") << sql;
    std::filesystem::remove(hub_ / "journal.db-wal");
    std::filesystem::remove(hub_ / "journal.db-shm");
    std::ofstream(hub_ / "journal.db", std::ios::binary | std::ios::trunc) << bytes;
  }
  EXPECT_EQ(CodeOf(SqliteJournal::Open(hub_)), "OK");
}

TEST_F(JournalDamageTest, TheRowsBeforeADamagedOneAreDelivered) {
  const std::string bytes = Bytes();
  Put(bytes.find("events of 9"), 'E');
  const auto journal = SqliteJournal::OpenReadOnly(hub_).value();
  std::vector<std::string> rows;
  const Result<void> read = journal->ReadAll(0, CollectInto(rows));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kJournalDamaged);
  EXPECT_NE(read.error().message.find("at event 9:"), std::string::npos) << read.error().message;
  EXPECT_EQ(rows.size(), 4U);
  rows.clear();
  EXPECT_TRUE(journal->ReadStream(PlanId("plan_b"), 0, CollectInto(rows)));
  EXPECT_EQ(rows.size(), 4U);
}

}  // namespace
}  // namespace agenttalk
