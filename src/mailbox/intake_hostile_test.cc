// What people and programs of ill will, or none, put into inboxes: none of it is followed or read, all of it
// ends among the dead letters with a reason, and good files beside it are found.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "mailbox/disposal.h"
#include "mailbox/file_system.h"
#include "mailbox/intake.h"
#include "mailbox/known_files.h"
#include "mailbox/place.h"
#include "mailbox/posix_file_system.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/temp_hub.h"
#include "mailbox/watcher.h"

namespace agenttalk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Somebody's hands in the hub, real or simulated.
struct Stranger {
  std::function<void(const std::string& path, const std::string& bytes)> file;
  std::function<void(const std::string& path, const std::string& target)> symlink;
  std::function<void(const std::string& path)> fifo;
  std::function<void(const std::string& path)> hard_link;  // to a file outside every box
  std::function<void(const std::string& path)> folder;
};

struct Hostile {
  std::string name;
  ErrorCode code;
  std::function<void(const Stranger&, const std::string& path)> make;
};

constexpr const char* kUnsafeNames[] = {
    " leading.json",
    "trailing.json ",
    "with space.json",
    "tab\there.json",
    "new\nline.json",
    "return\rhere.json",
    "bell\ahere",
    "back\bspace",
    "form\ffeed",
    "vertical\vtab",
    "escape\033[2J",
    "delete\x7f",
    "one\x01two",
    "quote\".json",
    "quote'.json",
    "back`tick`",
    "dollar$HOME",
    "$(reboot)",
    "semi;colon",
    "amp&ersand",
    "pipe|line",
    "less<than",
    "greater>than",
    "star*.json",
    "question?.json",
    "bracket[0].json",
    "brace{0}.json",
    "paren(1).json",
    "hash#.json",
    "percent%2e%2e.json",
    "percent%s%n.json",
    "back\\slash.json",
    "up\\..\\etc",
    "colon:stream",
    "C:evil",
    "comma,here",
    "equal=sign",
    "plus+sign",
    "at@sign",
    "bang!.json",
    "caret^.json",
    "tilde~x.json",
    "-rf",
    "--help",
    "-",
    "_underscore.json",
    "cmd_..json",
    "a..b",
    "a...json",
    "x..",

    "报告.md",
    "répertoire.txt",
    "emoji😀.json",
    "rtl\u202egpj.exe",
    "zero\u200bwidth",
    "nbsp\u00a0.json",
    "bom\ufeff.json",
    "combining\u0301",
    "fullwidth／slash",
    "one\u2024dot",
    "\xff\xfe",
    "bad\xc3\x28utf8",
    "overlong\xc0\xaf",
    "surrogate\xed\xa0\x80",
    "cut\xe2\x82",
    "latin1\xe9.txt",
    "above\xf4\x90\x80\x80",
    "\x80",
    "*",
    "?",
    "cmd_1.json\n",
    "cmd_1.json ",
    "cmd_1 .json",
    "\\",
    "\"",
    "'",
    "\\x00",
    "name\twith\ttabs",
    "{}",
    "[]",
    "null\\0byte",
    "cmd_$(id).json",
    "a b c d e f",
    "=cmd|' C calc'!A0",
};

std::vector<std::string> UnsafeNames() {
  std::vector<std::string> names(std::begin(kUnsafeNames), std::end(kUnsafeNames));
  names.push_back(std::string(129, 'a'));
  names.push_back(std::string(255, 'a'));
  names.push_back("cmd_" + std::string(246, 'x') + ".json");
  names.push_back(std::string(85, 'x') + std::string("\xe2\x82\xac"));
  return names;
}

std::vector<Hostile> HostileFiles() {
  std::vector<Hostile> table;
  for (const std::string& name : UnsafeNames()) {
    table.push_back(
        {name, ErrorCode::kNameUnsafe, [](const Stranger& s, const std::string& p) { s.file(p, "{}"); }});
  }
  const auto link = [&](const std::string& name, const std::string& target) {
    table.push_back({name, ErrorCode::kFileUnsafe,
                     [target](const Stranger& s, const std::string& p) { s.symlink(p, target); }});
  };
  link("cmd_passwd.json", "/etc/passwd");
  link("cmd_relative.json", "../../../../outside");
  link("cmd_dangling.json", "/nowhere/at/all");
  link("cmd_self.json", "cmd_self.json");
  link("cmd_root.json", "/");
  link("cmd_hub.json", "../../..");
  link("cmd_proc.json", "/proc/self/mem");
  link("cmd_fd.json", "/proc/self/fd/0");
  link("cmd_random.json", "/dev/urandom");
  link("cmd_zero.json", "/dev/zero");
  link("cmd_neighbour.json", "good.json");
  link("plan_link", "../../..");
  link("cmd_empty_target.json", " ");
  table.push_back(
      {"cmd_fifo.json", ErrorCode::kFileUnsafe, [](const Stranger& s, const std::string& p) { s.fifo(p); }});
  table.push_back(
      {"fifo", ErrorCode::kFileUnsafe, [](const Stranger& s, const std::string& p) { s.fifo(p); }});
  table.push_back({"cmd_hard.json", ErrorCode::kFileUnsafe,
                   [](const Stranger& s, const std::string& p) { s.hard_link(p); }});
  table.push_back({"input_hard.md", ErrorCode::kFileUnsafe,
                   [](const Stranger& s, const std::string& p) { s.hard_link(p); }});
  const auto large = [&](const std::string& name, std::size_t size) {
    table.push_back({name, ErrorCode::kTooLarge,
                     [size](const Stranger& s, const std::string& p) { s.file(p, std::string(size, '{')); }});
  };
  large("cmd_large.json", 4097);
  large("msg_large.json", 10000);
  large("input_large.bin", 65537);
  for (const std::string name : {"bad folder", "a..folder", "-folder", "foldér"}) {
    table.push_back(
        {name, ErrorCode::kNameUnsafe, [](const Stranger& s, const std::string& p) { s.folder(p); }});
  }
  return table;
}

class HostileTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      UseRealFiles();
    } else {
      UseSimulatedFiles();
    }
    const IntakeOptions options{.max_command_bytes = 4096,
                                .max_input_bytes = 65536,
                                .inline_bytes = 65536,
                                .human_heartbeat = seconds(10)};
    intake_ = std::make_unique<Intake>(*files_, watcher_, known_, options);
    intake_->SetAgents({{.id = AgentId("dev"), .external = true, .heartbeat = seconds(10)}});
    (void)intake_->Take(now_);
  }
  void UseRealFiles() {
    files_ = std::move(PosixFileSystem::Open(hub_.root()).value());
    TempHub::WriteTo(hub_.outer() + "/outside", "outside");
    const auto make_parent = [this](const std::string& path) {
      std::filesystem::create_directories(hub_.At(SplitAtLast(path).directory));
    };
    stranger_ = {.file =
                     [this, make_parent](const std::string& path, const std::string& bytes) {
                       make_parent(path);
                       TempHub::WriteTo(hub_.At(path), bytes);
                     },
                 .symlink =
                     [this, make_parent](const std::string& path, const std::string& target) {
                       make_parent(path);
                       std::filesystem::create_symlink(target, hub_.At(path));
                     },
                 .fifo =
                     [this, make_parent](const std::string& path) {
                       make_parent(path);
                       ASSERT_EQ(::mkfifo(hub_.At(path).c_str(), 0600), 0);
                     },
                 .hard_link =
                     [this, make_parent](const std::string& path) {
                       make_parent(path);
                       std::filesystem::create_hard_link(hub_.outer() + "/outside", hub_.At(path));
                     },
                 .folder =
                     [this](const std::string& path) {
                       std::filesystem::create_directories(hub_.At(path) + "/deep");
                     }};
  }
  void UseSimulatedFiles() {
    auto sim = std::make_unique<SimFileSystem>();
    SimFileSystem* files = sim.get();
    files_ = std::move(sim);
    files->DropFile("outside", "outside");
    stranger_ = {
        .file = [files](const std::string& path, const std::string& bytes) { files->DropFile(path, bytes); },
        .symlink = [files](const std::string& path,
                           const std::string& target) { files->DropSymlink(path, target); },
        .fifo = [files](const std::string& path) { files->DropFifo(path); },
        .hard_link = [files](const std::string& path) { files->DropHardLink("outside", path); },
        .folder = [files](const std::string& path) { files->DropDirectory(path + "/deep"); }};
  }
  // Lets a heartbeat pass and settles everything as the engine would.
  void RunAndSettle() {
    const Timestamp end = now_ + seconds(25);
    while (now_ < end) {
      const IntakeBatch batch = intake_->Take(now_);
      for (const FoundFile& file : batch.found) {
        found_.push_back(PathOf(file.fingerprint));
        intake_->MarkKnown(file.fingerprint);
      }
      for (const RefusedFile& file : batch.refused) {
        refused_[PathOf(file.fingerprint)] = file.code;
        const Refusal refusal{.code = file.code, .message = file.message, .hint = file.hint, .at = now_};
        EXPECT_EQ(intake_->Refuse(file.fingerprint, file.place.plan, refusal, ++event_).value(),
                  Disposal::kMoved);
      }
      if (!batch.more) now_ = std::max(now_ + milliseconds(1), batch.wake_at);
    }
  }
  void ExpectOnlyDeadLettersIn(const std::string& directory, std::size_t count) {
    std::size_t letters = 0;
    std::size_t reasons = 0;
    const auto entries = files_->List(directory).value();
    for (const DirectoryEntry& entry : entries) {
      EXPECT_TRUE(IsSafeName(entry.name)) << entry.name;
      if (!entry.name.ends_with(".reason.json")) {
        ++letters;
        continue;
      }
      ++reasons;
      const auto whole = ReadWhole(*files_, JoinPath(directory, entry.name), 1 << 16).value();
      const auto reason = ParseJson(whole.bytes);
      ASSERT_TRUE(reason) << entry.name;
      for (const char* key : {"code", "message", "hint", "from", "at"}) {
        EXPECT_FALSE(reason->as_object().at(key).as_string().empty()) << entry.name;
      }
    }
    EXPECT_EQ(letters, count);
    EXPECT_EQ(reasons, count);
  }

  TempHub hub_;
  std::unique_ptr<FileSystem> files_;
  NoWatcher watcher_;
  KnownFiles known_;
  std::unique_ptr<Intake> intake_;
  Stranger stranger_;
  Timestamp now_{seconds(1'800'000'000)};
  std::vector<std::string> found_;
  std::map<std::string, ErrorCode> refused_;
  std::uint64_t event_ = 0;
};

INSTANTIATE_TEST_SUITE_P(RealAndSimulated, HostileTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Real" : "Simulated"; });

TEST_P(HostileTest, FilesAreRefusedWithAReasonAndGoodOnesFound) {
  const std::vector<Hostile> table = HostileFiles();
  ASSERT_GE(table.size(), 100U);
  const std::string box = "agents/dev/inbox/plan_1";
  for (const Hostile& hostile : table) hostile.make(stranger_, box + "/" + hostile.name);
  for (int i = 0; i < 20; ++i) stranger_.file(fmt::format("{}/good{}.json", box, i), "{}");
  RunAndSettle();
  EXPECT_EQ(found_.size(), 20U);
  for (const Hostile& hostile : table) {
    const auto refused = refused_.find(box + "/" + hostile.name);
    ASSERT_NE(refused, refused_.end()) << PrintablePath(hostile.name);
    EXPECT_EQ(refused->second, hostile.code) << PrintablePath(hostile.name);
  }
  EXPECT_EQ(refused_.size(), table.size());
  EXPECT_EQ(files_->List(box)->size(), 20U);
  ExpectOnlyDeadLettersIn("dead_letter/plan_1", table.size());
  const auto outside = GetParam() ? hub_.Contents("../outside") : std::optional<std::string>("outside");
  EXPECT_EQ(outside, "outside");
}

TEST_P(HostileTest, NamesAreRefusedInEveryBox) {
  const std::vector<std::string> names = UnsafeNames();
  const std::vector<std::string> boxes{"agents/dev/inbox", "agents/dev/outbox", "agents/dev/outbox/plan_1",
                                       "human/outbox"};
  for (const std::string& box : boxes) {
    for (const std::string& name : names) stranger_.file(box + "/" + name, "{}");
  }
  RunAndSettle();
  EXPECT_TRUE(found_.empty());
  EXPECT_EQ(refused_.size(), names.size() * boxes.size());
  ExpectOnlyDeadLettersIn(DeadLetterFolder(PlanId()), names.size() * 3);
  for (const std::string& box : boxes) {
    const auto entries = files_->List(box).value();
    for (const DirectoryEntry& entry : entries) EXPECT_EQ(entry.name, "plan_1") << box;
  }
}

TEST_P(HostileTest, ContentsAreNoneOfIntakesBusiness) {
  const std::vector<std::string> contents{"",
                                          std::string(100, '\0'),
                                          "\xef\xbb\xbf{}",
                                          std::string("\xff\xfe{\0}\0", 6),
                                          "\xc3\x28",
                                          "{\"command_id\":",
                                          std::string(2000, '['),
                                          "{\"a\":1,\"a\":2}",
                                          "\r\n\r\n",
                                          "PK\x03\x04"};
  for (std::size_t i = 0; i < contents.size(); ++i) {
    stranger_.file(fmt::format("agents/dev/inbox/cmd_{}.json", i), contents[i]);
  }
  std::map<std::string, std::string> bytes;
  intake_->SweepAll();
  for (const FoundFile& file : intake_->Take(now_).found) bytes[file.fingerprint.name] = *file.bytes;
  ASSERT_EQ(bytes.size(), contents.size());
  for (std::size_t i = 0; i < contents.size(); ++i)
    EXPECT_EQ(bytes[fmt::format("cmd_{}.json", i)], contents[i]);
}

}  // namespace
}  // namespace agenttalk
