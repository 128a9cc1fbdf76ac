#include "mailbox/disposal.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "mailbox/file_system.h"
#include "mailbox/inbox_names.h"
#include "mailbox/place.h"
#include "mailbox/sim_file_system.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

Refusal SomeRefusal() {
  return {.code = ErrorCode::kFileUnsafe,
          .message = "it is a link",
          .hint = "copy it",
          .at = Timestamp(std::chrono::seconds(1'800'000'000))};
}

FileFingerprint FingerprintOf(SimFileSystem& files, const std::string& directory, const std::string& name) {
  return MakeFingerprint(directory, name, *files.Stat(JoinPath(directory, name)).value(), Digest{});
}

TEST(CompleteFile, MovesACommandToProcessed) {
  SimFileSystem files;
  files.DropFile(kDevInbox + "/cmd_1.json", "{}");
  const auto file = FingerprintOf(files, kDevInbox, "cmd_1.json");
  EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), Disposal::kMoved);
  EXPECT_EQ(files.Files(), std::vector<std::string>{kDevInbox + "/.processed/plan_1/cmd_1.json"});
  EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), Disposal::kGone);
}

TEST(CompleteFile, GivesATakenNameTheEventsNumber) {
  SimFileSystem files;
  for (const std::uint64_t event : {5UL, 6UL, 6UL}) {
    files.DropFile(kDevInbox + "/plan_1/cmd_1.json", "{}");
    const auto file = FingerprintOf(files, kDevInbox + "/plan_1", "cmd_1.json");
    EXPECT_EQ(CompleteFile(files, file, kInboxPlan, event).value(), Disposal::kMoved);
  }
  EXPECT_EQ(files.Files(), (std::vector<std::string>{kDevInbox + "/.processed/plan_1/cmd_1.6-2.json",
                                                     kDevInbox + "/.processed/plan_1/cmd_1.6.json",
                                                     kDevInbox + "/.processed/plan_1/cmd_1.json"}));
}

// A power cut undid the move and kept the copy that the journal's files have there.
TEST(CompleteFile, KeepsOneOfTwoWithTheSameBytes) {
  for (const auto& [there, left] : {std::pair{"same", 1U}, std::pair{"else", 2U}}) {
    SimFileSystem files;
    files.DropFile(kDevInbox + "/.processed/plan_1/out.md", there);
    files.DropFile(kDevInbox + "/plan_1/out.md", "same");
    auto file = FingerprintOf(files, kDevInbox + "/plan_1", "out.md");
    file.sha256 = Sha256("same");
    EXPECT_EQ(CompleteFile(files, file, kInboxPlan, kTakenInBefore).value(), Disposal::kMoved);
    EXPECT_EQ(files.Files().size(), left);
    EXPECT_EQ(files.Contents(kDevInbox + "/.processed/plan_1/out.md"), there);
  }
}

TEST(CompleteFile, LeavesAReplacedFileAlone) {
  SimFileSystem files;
  files.DropFile(kDevInbox + "/cmd_1.json", "old");
  const auto file = FingerprintOf(files, kDevInbox, "cmd_1.json");
  files.DropFile(kDevInbox + "/cmd_1.json", "new");
  EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), Disposal::kReplaced);
  EXPECT_EQ(files.Contents(kDevInbox + "/cmd_1.json"), "new");
}

TEST(CompleteFile, LeavesAFileThatWasRewrittenInPlaceAlone) {
  SimFileSystem files;
  files.DropFile(kDevInbox + "/cmd_1.json", "old");
  const auto file = FingerprintOf(files, kDevInbox, "cmd_1.json");
  files.Overwrite(kDevInbox + "/cmd_1.json", "new");
  EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), Disposal::kReplaced);
  EXPECT_EQ(files.Contents(kDevInbox + "/cmd_1.json"), "new");
}

TEST(CompleteFile, PutsAFileBackThatSlippedInBeforeTheMove) {
  SimFileSystem files;
  const std::string path = kDevInbox + "/cmd_1.json";
  files.DropFile(path, "old");
  const auto file = FingerprintOf(files, kDevInbox, "cmd_1.json");
  bool done = false;
  files.SetInterference([&](SimOp op, const std::string&) {
    if (op == SimOp::kMove && !done) {
      done = true;
      files.DropFile(path, "new");
    }
  });
  EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), Disposal::kReplaced);
  EXPECT_EQ(files.Files(), std::vector<std::string>{path});
  EXPECT_EQ(files.Contents(path), "new");
}

TEST(CompleteFile, KeepsBothWhenAThirdFileTookTheName) {
  SimFileSystem files;
  const std::string path = kDevInbox + "/cmd_1.json";
  files.DropFile(path, "first");
  const auto file = FingerprintOf(files, kDevInbox, "cmd_1.json");
  int moves = 0;
  files.SetInterference([&](SimOp op, const std::string& moved) {
    if (op != SimOp::kMove) return;
    if (moves == 0) files.DropFile(path, "second");
    if (moved != path && moves < 5) files.DropFile(path, "third");
    ++moves;
  });
  EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), Disposal::kReplaced);
  EXPECT_EQ(files.Contents(path), "third");
  EXPECT_EQ(files.Contents(kDevInbox + "/cmd_1.5.json"), "second");
}

TEST(CompleteFile, CanBeRepeatedAfterAPowerCutBroughtTheFileBack) {
  int came_back = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SimFileSystem files(seed);
    files.DropFile(kDevInbox + "/cmd_1.json", "{}");
    ASSERT_TRUE(files.Sync());
    const auto file = FingerprintOf(files, kDevInbox, "cmd_1.json");
    ASSERT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), Disposal::kMoved);
    files.Crash();
    const bool is_back = files.Exists(kDevInbox + "/cmd_1.json");
    came_back += is_back ? 1 : 0;
    EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), is_back ? Disposal::kMoved : Disposal::kGone);
    EXPECT_EQ(files.Files(), std::vector<std::string>{kDevInbox + "/.processed/plan_1/cmd_1.json"});
  }
  EXPECT_GT(came_back, 10);
  EXPECT_LT(came_back, 90);
}

TEST(CompleteFile, ReportsADiskThatFails) {
  SimFileSystem files;
  files.DropFile(kDevInbox + "/cmd_1.json", "{}");
  const auto file = FingerprintOf(files, kDevInbox, "cmd_1.json");
  files.Inject({.op = SimOp::kMove, .path_contains = "", .code = ErrorCode::kIo, .skip = 0, .times = 1});
  EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).error().code, ErrorCode::kIo);
  EXPECT_EQ(CompleteFile(files, file, kInboxPlan, 5).value(), Disposal::kMoved);
}

TEST(RefuseFile, MovesALinkItselfAndWritesItsReason) {
  SimFileSystem files;
  files.DropSymlink(kDevInbox + "/cmd_1.json", "/etc/passwd");
  const auto file = FingerprintOf(files, kDevInbox, "cmd_1.json");
  EXPECT_EQ(RefuseFile(files, file, kInboxPlan, SomeRefusal(), 5).value(), Disposal::kMoved);
  EXPECT_EQ(files.Files(), (std::vector<std::string>{"dead_letter/plan_1/cmd_1.json",
                                                     "dead_letter/plan_1/cmd_1.json.reason.json"}));
  EXPECT_EQ(files.Stat("dead_letter/plan_1/cmd_1.json").value()->type, FileType::kSymlink);
  const auto reason = ParseJson(*files.Contents("dead_letter/plan_1/cmd_1.json.reason.json")).value();
  const auto& object = reason.as_object();
  EXPECT_EQ(object.at("code").as_string(), "FILE_UNSAFE");
  EXPECT_EQ(object.at("message").as_string(), "it is a link");
  EXPECT_EQ(object.at("hint").as_string(), "copy it");
  EXPECT_EQ(object.at("from").as_string(), "agents/dev/inbox/cmd_1.json");
  EXPECT_EQ(object.at("at").as_string(), "2027-01-15T08:00:00Z");
}

TEST(RefuseFile, KeepsLettersOfTheSameNameApart) {
  SimFileSystem files;
  for (const std::uint64_t event : {5UL, 6UL, 7UL}) {
    files.DropFile(kDevInbox + "/x", std::to_string(event));
    const auto file = FingerprintOf(files, kDevInbox, "x");
    EXPECT_EQ(RefuseFile(files, file, PlanId(), SomeRefusal(), event).value(), Disposal::kMoved);
  }
  const std::string folder = DeadLetterFolder(PlanId());
  EXPECT_EQ(files.Contents(folder + "/x"), "5");
  EXPECT_EQ(files.Contents(folder + "/x.6"), "6");
  EXPECT_EQ(files.Contents(folder + "/x.7"), "7");
  EXPECT_TRUE(files.Exists(folder + "/x.7.reason.json"));
}

TEST(RefuseFile, DoesNotOverwriteAFileThatIsNamedLikeAReason) {
  SimFileSystem files;
  files.DropFile(kDevInbox + "/x.reason.json", "precious");
  ASSERT_TRUE(
      RefuseFile(files, FingerprintOf(files, kDevInbox, "x.reason.json"), kInboxPlan, SomeRefusal(), 5));
  files.DropFile(kDevInbox + "/x", "also");
  ASSERT_TRUE(RefuseFile(files, FingerprintOf(files, kDevInbox, "x"), kInboxPlan, SomeRefusal(), 6));
  EXPECT_EQ(files.Contents("dead_letter/plan_1/x.reason.json"), "precious");
  EXPECT_EQ(files.Contents("dead_letter/plan_1/x.6"), "also");
}

TEST(RefuseFile, MovesAFolderAsAWhole) {
  SimFileSystem files;
  files.DropFile(kDevInbox + "/bad name/sub/x", "1");
  const auto file = FingerprintOf(files, kDevInbox, "bad name");
  EXPECT_EQ(RefuseFile(files, file, PlanId(), SomeRefusal(), 5).value(), Disposal::kMoved);
  EXPECT_FALSE(files.Exists(kDevInbox + "/bad name"));
}

TEST(RefuseFile, LeavesAReplacedFileAloneAndNoReasonBehind) {
  SimFileSystem files;
  const std::string path = kDevInbox + "/x";
  files.DropSymlink(path, "/etc/passwd");
  const auto file = FingerprintOf(files, kDevInbox, "x");
  bool done = false;
  files.SetInterference([&](SimOp op, const std::string&) {
    if (op == SimOp::kMove && !done) {
      done = true;
      files.DropFile(path, "good");
    }
  });
  EXPECT_EQ(RefuseFile(files, file, kInboxPlan, SomeRefusal(), 5).value(), Disposal::kReplaced);
  EXPECT_EQ(files.Files(), std::vector<std::string>{path});
}

struct Killed {};

bool FinishesOrIsKilled(const std::function<void()>& body) {
  try {
    body();
    return true;
  } catch (const Killed&) {
    return true;
  }
}

TEST(RefuseFile, CanBeRepeatedAfterAnyCrash) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SimFileSystem files(seed);
    files.DropFile(kDevInbox + "/x", "content");
    ASSERT_TRUE(files.Sync());
    const auto file = FingerprintOf(files, kDevInbox, "x");
    // Die at some operation, lose power, and do it again.
    std::uint64_t left = seed % 12;
    files.SetInterference([&](SimOp, const std::string&) {
      if (left-- == 0) throw Killed{};
    });
    EXPECT_TRUE(FinishesOrIsKilled([&] { (void)RefuseFile(files, file, kInboxPlan, SomeRefusal(), 5); }));
    files.SetInterference(nullptr);
    if (seed % 3 != 0) files.Crash();
    ASSERT_TRUE(RefuseFile(files, file, kInboxPlan, SomeRefusal(), 5)) << seed;
    EXPECT_EQ(files.Files(),
              (std::vector<std::string>{"dead_letter/plan_1/x", "dead_letter/plan_1/x.reason.json"}))
        << seed;
    EXPECT_EQ(files.Contents("dead_letter/plan_1/x"), "content") << seed;
    EXPECT_TRUE(ParseJson(*files.Contents("dead_letter/plan_1/x.reason.json"))) << seed;
  }
}

TEST(DeadLetterName, IsAlwaysSafeAndShort) {
  const std::vector<std::string> names{"a b",  "..",           "../../etc", std::string(255, 'x'), "\xff\xfe",
                                       "-rf",  "a\nb",         "报告.md",   std::string(128, 'a'), "a..b",
                                       "....", "x.reason.json"};
  for (const std::string& name : names) {
    const std::string letter = DeadLetterName(name);
    EXPECT_TRUE(IsSafeName(letter)) << letter;
    EXPECT_LE(letter.size(), 100U) << letter;
  }
  EXPECT_EQ(DeadLetterName("cmd_1.json"), "cmd_1.json");
  EXPECT_NE(DeadLetterName("a b"), DeadLetterName("a_b"));
  EXPECT_NE(DeadLetterName("a b"), DeadLetterName("a\tb"));
}

TEST(PrintablePath, IsAlwaysUtf8WithoutControlCharacters) {
  EXPECT_EQ(PrintablePath("agents/报告.md"), "agents/报告.md");
  EXPECT_EQ(PrintablePath("a\nb"), "a\\x0Ab");
  EXPECT_EQ(PrintablePath("\xff"), "\\xFF");
  EXPECT_TRUE(IsUtf8(PrintablePath("\xc3\x28\x01")));
}

}  // namespace
}  // namespace agenttalk
