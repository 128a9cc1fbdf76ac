#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "journal/fault_vfs.h"
#include "journal/journal.h"
#include "journal/journal_test_support.h"
#include "journal/sqlite_journal.h"

// Disks that are full or fail, and processes that are killed.
namespace agenttalk {
namespace {

using Fault = FaultVfs::Fault;

class JournalFaultTest : public testing::Test {
 protected:
  void Open() {
    journal_.reset();
    auto opened = SqliteJournal::Open(hub_);
    ASSERT_TRUE(opened) << opened.error().message;
    journal_ = *std::move(opened);
    epoch_ = journal_->BeginEpoch().value();
  }
  std::string Add(std::uint64_t event) {
    return CodeOf(CommitOne(*journal_, AppendOf(RowOf("plan_a", event, event, "e")), epoch_));
  }

  TempDirectory directory_;
  std::filesystem::path hub_ = directory_.path() / ".agenttalk";
  FaultVfs faults_;
  std::unique_ptr<SqliteJournal> journal_;
  std::uint64_t epoch_ = 0;
};

TEST_F(JournalFaultTest, OneCommitIsOneSync) {
  Open();
  EXPECT_EQ(Add(1), "OK");  // the first after a start also writes the log's header
  const int before = faults_.syncs();
  EXPECT_EQ(Add(2), "OK");
  std::vector<Append> batch;
  for (std::uint64_t i = 3; i < 103; ++i) batch.push_back(AppendOf(RowOf("plan_a", i, i, "e")));
  EXPECT_TRUE(journal_->Commit(batch, epoch_));
  EXPECT_EQ(faults_.syncs() - before, 2);
}

TEST_F(JournalFaultTest, GoesOnWhenAFullDiskHasSpaceAgain) {
  Open();
  EXPECT_EQ(Add(1), "OK");
  faults_.Inject(Fault::kFullDisk);
  EXPECT_EQ(Add(2), "DISK_FULL");
  EXPECT_EQ(Add(2), "DISK_FULL");
  EXPECT_EQ(journal_->LastEvent().value(), 1);
  faults_.Inject(Fault::kNone);
  EXPECT_EQ(Add(2), "OK");
  Open();
  EXPECT_EQ(journal_->LastEvent().value(), 2);
}

TEST_F(JournalFaultTest, IsNotOpenedForWritingWhereItCanOnlyBeRead) {
  Open();
  EXPECT_EQ(Add(1), "OK");
  journal_.reset();
  faults_.Inject(Fault::kReadOnlyOpen);
  const auto opened = SqliteJournal::Open(hub_);
  ASSERT_EQ(CodeOf(opened), "PERMISSION_DENIED");
  EXPECT_NE(opened.error().message.find("can only be read"), std::string::npos) << opened.error().message;
}

TEST_F(JournalFaultTest, StopsForGoodAfterAFailedSync) {
  Open();
  EXPECT_EQ(Add(1), "OK");
  faults_.Inject(Fault::kFailedSync);
  EXPECT_EQ(Add(2), "IO");
  faults_.Inject(Fault::kNone);
  EXPECT_EQ(Add(2), "IO");
  EXPECT_EQ(Add(3), "IO");
  EXPECT_EQ(CodeOf(journal_->BeginEpoch()), "IO");
  Open();
  EXPECT_EQ(Add(journal_->LastEvent().value() + 1), "OK");
}

TEST_F(JournalFaultTest, StopsForGoodAfterAFailedWrite) {
  Open();
  faults_.Inject(Fault::kFailedWrite);
  EXPECT_EQ(Add(1), "IO");
  faults_.Inject(Fault::kNone);
  EXPECT_EQ(Add(1), "IO");
  Open();
  EXPECT_EQ(Add(1), "OK");
}

TEST_F(JournalFaultTest, ACheckpointThatFailsStopsTheNextCommitNotThisOne) {
  Open();
  std::uint64_t event = 1;
  faults_.Inject(Fault::kFailedSync, "journal.db");
  while (event < 5000 && Add(event) == "OK") ++event;
  EXPECT_GT(event, 100);
  EXPECT_LT(event, 5000);
  EXPECT_EQ(journal_->LastEvent().value(), event - 1);
  faults_.Inject(Fault::kNone);
  Open();
  EXPECT_EQ(journal_->LastEvent().value(), event - 1);
  EXPECT_EQ(RowsOf(*journal_, "plan_a").size(), event - 1);
}

TEST_F(JournalFaultTest, AFullDiskDuringACheckpointOnlyDelaysIt) {
  Open();
  faults_.Inject(Fault::kFullDisk, "journal.db");
  for (std::uint64_t event = 1; event <= 600; ++event) ASSERT_EQ(Add(event), "OK") << event;
  faults_.Inject(Fault::kNone);
  ASSERT_EQ(Add(601), "OK");
  Open();
  EXPECT_EQ(RowsOf(*journal_, "plan_a").size(), 601);
}

TEST_F(JournalFaultTest, BeginsNoEpochThatIsNotDurable) {
  Open();
  EXPECT_EQ(Add(1), "OK");
  faults_.Inject(Fault::kFailedSync);
  EXPECT_EQ(CodeOf(journal_->BeginEpoch()), "IO");
}

// Commits without end and tells each acknowledged event through the pipe.
[[noreturn]] void CommitUntilKilled(const std::filesystem::path& hub, int acknowledge) {
  const auto journal = SqliteJournal::Open(hub).value();
  const std::uint64_t epoch = journal->BeginEpoch().value();
  for (std::uint64_t event = journal->LastEvent().value() + 1;;) {
    std::vector<Append> batch;
    for (int i = 0; i < 3; ++i, ++event) {
      batch.push_back(AppendOf(RowOf("plan_a", event, event, std::to_string(event))));
      batch.back().blobs = {ContentOf(std::string(20'000, 'b') + std::to_string(event % 10))};
    }
    if (!journal->Commit(batch, epoch)) std::_Exit(1);
    const std::uint64_t done = event - 1;
    if (::write(acknowledge, &done, sizeof(done)) != sizeof(done)) std::_Exit(1);
  }
}

// Lets a child commit until it has acknowledged `times` batches, kills it, returns the last acknowledged
// event.
std::uint64_t KillAfter(const std::filesystem::path& hub, int times) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(::pipe(pipe.data()), 0);
  const auto child = ::fork();
  if (child == 0) CommitUntilKilled(hub, pipe[1]);
  ::close(pipe[1]);
  std::uint64_t acknowledged = 0;
  std::uint64_t next = 0;
  for (int i = 0; i < times && ::read(pipe[0], &next, sizeof(next)) == sizeof(next); ++i) acknowledged = next;
  ::kill(child, SIGKILL);
  while (::read(pipe[0], &next, sizeof(next)) == sizeof(next)) acknowledged = next;
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  return acknowledged;
}

TEST(JournalKillTest, KeepsEveryAcknowledgedCommitOfAKilledProcess) {
  const TempDirectory directory;
  const std::filesystem::path hub = directory.path() / ".agenttalk";
  std::uint64_t epochs = 0;
  for (const int times : {1, 2, 3, 10, 50, 120, 7, 200}) {
    const std::uint64_t acknowledged = KillAfter(hub, times);
    const auto journal = SqliteJournal::Open(hub).value();
    const std::uint64_t last = journal->LastEvent().value();
    EXPECT_GE(last, acknowledged);
    EXPECT_LE(last, acknowledged + 3);
    EXPECT_EQ(last % 3, 0);
    std::uint64_t event = 0;
    EXPECT_TRUE(journal->ReadStream(PlanId("plan_a"), 0, [&](const JournalRowView& row) {
      ++event;
      return row.first_event == event && row.events == std::to_string(event);
    }));
    EXPECT_EQ(event, last);
    EXPECT_EQ(AllRows(*journal).size(), last);
    epochs += 2;
    EXPECT_EQ(journal->BeginEpoch().value(), epochs);
  }
}

}  // namespace
}  // namespace agenttalk
