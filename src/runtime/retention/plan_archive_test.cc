#include "runtime/retention/plan_archive.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "mailbox/temp_hub.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

const PlanId kArchived("plan_a");

template <typename Body>
Event Made(Body body) {
  Event event;
  event.plan_id = kArchived;
  event.body = std::move(body);
  return event;
}

// A plan that has ended, with `body` in the middle.
template <typename Body>
std::string RowWith(Body body) {
  return EncodeEvents(std::vector<Event>{Made(PlanChanged{PlanChange::kOpened, {}}), Made(std::move(body)),
                                         Made(PlanChanged{PlanChange::kCancelled, {}})});
}

class PlanArchiveTest : public testing::Test {
 protected:
  // As another hub may have written it: the events need not be such as this program makes.
  Result<ArchiveReport> Write(std::string events, std::uint64_t first_event = 1,
                              const ArchiveLimits& limits = {}) {
    MemoryJournal journal;
    Append append;
    append.imports.push_back({kArchived, {{first_event, 3, std::move(events)}}, {}});
    const std::uint64_t epoch = journal.BeginEpoch().value();
    EXPECT_TRUE(journal.Commit({&append, 1}, epoch).has_value());
    fs::remove(Archive());
    return WriteArchive(journal, files_.root(), kArchived, {}, Archive(), limits);
  }
  Result<ArchiveReport> WritePlan(const ArchiveLimits& limits = {}) {
    return Write(RowWith(ControlAccepted{"client", "run"}), 1, limits);
  }
  [[nodiscard]] std::string Archive() const { return files_.outer() + "/plan_a.tar"; }
  // Why it is refused; empty: it is not.
  template <typename Body>
  std::string Refusal(Body body) {
    EXPECT_TRUE(Write(RowWith(std::move(body))).has_value());
    const auto read = ReadArchive(Archive());
    return read ? "" : read.error().message;
  }

  TempHub files_;
};

TEST_F(PlanArchiveTest, APlanIsReadAsItWasWritten) {
  files_.Write("plans/plan_a/deliverables/a.md", "bees");
  files_.Write("agents/ann/workspace/plan_a/cmd_1/outputs/b.md", "ants");
  files_.Write("agents/ann/workspace/plan_b/cmd_1/outputs/c.md", "of another plan");
  const auto report = WritePlan();
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->files, 2U);
  const auto archive = ReadArchive(Archive());
  ASSERT_TRUE(archive.has_value()) << archive.error().message;
  EXPECT_EQ(archive->plan, kArchived);
  EXPECT_EQ(archive->summary.state, "cancelled");
  EXPECT_EQ(archive->last_event, 3U);
  ASSERT_EQ(archive->files.size(), 2U);
  EXPECT_EQ(archive->files[0].path, "agents/ann/workspace/plan_a/cmd_1/outputs/b.md");
  EXPECT_EQ(archive->files[1].bytes, "bees");
}

// Every event of the table that is the hub's own.
template <typename... Bodies>
std::vector<EventBody> HubEvents(const std::variant<Bodies...>* /*of*/) {
  std::vector<EventBody> found;
  const auto look = [&](EventBody body) {
    if (HomeOf(body) == EventHome::kHub) found.push_back(std::move(body));
  };
  (look(EventBody(Bodies{})), ...);
  return found;
}

TEST_F(PlanArchiveTest, WhatOnlyTheHubSaysIsRefusedInAPlan) {
  const std::vector<EventBody> events = HubEvents(static_cast<const EventBody*>(nullptr));
  EXPECT_EQ(events.size(), 10U);
  for (const EventBody& body : events) {
    EXPECT_TRUE(Refusal(body).ends_with(std::string(EventName(body)) + " is no event of a plan"))
        << EventName(body) << ": " << Refusal(body);
  }
  EXPECT_TRUE(Refusal(PlanImported{kArchived, "completed", 3, 1, 3, {}}).contains("plan_imported"));
  EXPECT_EQ(Refusal(BudgetRaised{1, 1}), "");
}

TEST_F(PlanArchiveTest, NumbersThatLeaveNoRoomForOthersAreRefused) {
  const std::string events = RowWith(ControlAccepted{"client", "run"});
  const std::uint64_t largest = std::uint64_t{1} << 53;
  for (const std::uint64_t first :
       {UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX - 3, std::uint64_t{INT64_MAX}, largest,
        largest - 1, largest - 3, std::uint64_t{0}}) {
    ASSERT_TRUE(Write(events, first).has_value());
    EXPECT_FALSE(ReadArchive(Archive()).has_value()) << first;
  }
  ASSERT_TRUE(Write(events, largest - 4).has_value());
  EXPECT_TRUE(ReadArchive(Archive()).has_value());
}

TEST_F(PlanArchiveTest, IdsThatWouldLeadElsewhereAreRefused) {
  for (const std::string id : {"..", "../plan_live", "plan_live/cmd_1", "/", "."}) {
    CommandReceived received;
    received.agent_id = AgentId("ann");
    received.command.command_id = CommandId(id);
    EXPECT_TRUE(Refusal(received).contains("parts of paths")) << id;
    received.command.command_id = CommandId("cmd_1");
    received.agent_id = AgentId(id);
    EXPECT_TRUE(Refusal(received).contains("parts of paths")) << id;
    DagAdopted adopted;
    adopted.nodes.resize(1);
    adopted.nodes[0].task_id = TaskId(id);
    EXPECT_TRUE(Refusal(adopted).contains("parts of paths")) << id;
  }
}

TEST_F(PlanArchiveTest, WhatImportWouldRefuseAsTooLargeIsNotWritten) {
  for (int i = 0; i < 5; ++i) files_.Write("plans/plan_a/" + std::to_string(i), std::string(1000, 'x'));
  const auto whole = WritePlan();
  ASSERT_TRUE(whole.has_value());
  for (const ArchiveLimits& limits : {ArchiveLimits{.bytes = whole->bytes - 1}, ArchiveLimits{.files = 4}}) {
    const auto written = WritePlan(limits);
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::kTooLarge);
    EXPECT_TRUE(written.error().message.starts_with("plan_a is too large for an archive"));
    EXPECT_FALSE(fs::exists(Archive()));
    ASSERT_TRUE(WritePlan().has_value());
    EXPECT_FALSE(ReadArchive(Archive(), limits).has_value()) << "the reader has the same limits";
  }
  const ArchiveLimits exact{.bytes = whole->bytes, .files = 5};
  ASSERT_TRUE(WritePlan(exact).has_value());
  EXPECT_TRUE(ReadArchive(Archive(), exact).has_value());
}

TEST_F(PlanArchiveTest, AFileWithANewlineInALongNameIsReadAgain) {
  const std::string path = "agents/ann/workspace/plan_a/cmd_1/outputs/" + std::string(100, 'n') + "\n.md";
  files_.Write(path, "bees");
  ASSERT_TRUE(WritePlan().has_value());
  const auto archive = ReadArchive(Archive());
  ASSERT_TRUE(archive.has_value()) << archive.error().message;
  ASSERT_EQ(archive->files.size(), 1U);
  EXPECT_EQ(archive->files[0].path, path);
}

// What `work` says in a child process that may not read everything; nothing: there is no such user.
std::optional<std::string> AsSomebodyElse(const std::function<std::string()>& work) {
  constexpr uid_t kNobody = 65534;
  constexpr int kNoSuchUser = 77;
  int pipe[2] = {};
  if (::pipe(pipe) != 0) return std::nullopt;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool changed = ::geteuid() != 0 ||
                         (::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0);
    if (!changed) ::_exit(kNoSuchUser);
    const std::string said = work();
    const bool told = ::write(pipe[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    ::_exit(told ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string said(4096, '\0');
  const ssize_t size = ::read(pipe[0], said.data(), said.size());
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchUser) return std::nullopt;
  said.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? said : "the process ended";
}

TEST_F(PlanArchiveTest, AFolderThatCannotBeReadIsNotLeftOutInSilence) {
  const std::string closed = "agents/ann/workspace/plan_a/cmd_1/closed";
  files_.Write(closed + "/in/a.md", "ants");
  files_.Write("plans/plan_a/z.md", "after it");
  ::chmod(files_.outer().c_str(), 0777);
  struct Case {
    std::string path;
    mode_t mode;
  };
  for (const auto& [path, mode] :
       {Case{closed, 0}, Case{closed, 0444}, Case{closed + "/in", 0444}, Case{closed + "/in/a.md", 0}}) {
    ASSERT_EQ(::chmod(files_.At(path).c_str(), mode), 0);
    const auto said = AsSomebodyElse([&]() -> std::string {
      const auto written = WritePlan();
      if (!written) return written.error().message;
      return "wrote " + std::to_string(written->files) + " files";
    });
    ASSERT_EQ(::chmod(files_.At(path).c_str(), 0777), 0);
    if (!said) GTEST_SKIP() << "this process can neither read too little nor become a user who does";
    EXPECT_TRUE(said->contains(path)) << mode << ": " << *said;
    EXPECT_FALSE(fs::exists(Archive())) << path;
  }
  EXPECT_EQ(WritePlan()->files, 2U);
}

// The descriptor of the last of `depth` folders, each in the one before it.
int MakeDeep(const std::string& folder, int depth) {
  const std::string name(250, 'd');
  int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  for (; depth > 0; --depth) {
    EXPECT_EQ(::mkdirat(at, name.c_str(), 0700), 0);
    const int below = ::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY);
    ::close(at);
    at = below;
  }
  return at;
}

// Whoever is root can read every folder, but not by a path that is too long.
TEST_F(PlanArchiveTest, WhatIsTooDeepIsNotLeftOutInSilence) {
  const std::string folder = "agents/ann/workspace/plan_a/cmd_1";
  for (const int depth : {20, 15}) {  // longer than any path may be; and than those of an archive
    files_.Write(folder + "/a.md", "ants");
    const int last = MakeDeep(files_.At(folder), depth);
    ::close(::openat(last, std::string(220, 'f').c_str(), O_WRONLY | O_CREAT, 0600));
    ::close(last);
    const auto written = WritePlan();
    ASSERT_FALSE(written.has_value()) << depth;
    EXPECT_TRUE(written.error().message.contains(folder + "/ddd")) << written.error().message;
    EXPECT_FALSE(fs::exists(Archive()));
    fs::remove_all(files_.At(folder));
  }
}

TEST_F(PlanArchiveTest, LinksAreNoFilesOfThePlan) {
  files_.Write("plans/plan_a/a.md", "bees");
  TempHub::WriteTo(files_.outer() + "/secret", "of somebody");
  fs::create_symlink(files_.outer() + "/secret", files_.At("plans/plan_a/link"));
  fs::create_directory_symlink(files_.outer(), files_.At("plans/plan_a/folder"));
  const auto written = WritePlan();
  ASSERT_TRUE(written.has_value());
  EXPECT_EQ(written->files, 1U);
}

}  // namespace
}  // namespace agenttalk
