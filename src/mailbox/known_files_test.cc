#include "mailbox/known_files.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/digest.h"
#include "mailbox/file_system.h"
#include "mailbox/place.h"

namespace agenttalk {
namespace {

constexpr FileStat kStat{
    .type = FileType::kRegular, .inode = 7, .mtime_ns = 100, .ctime_ns = 200, .size = 3, .links = 1};

FileStat With(FileStat stat, std::uint64_t FileStat::* field, std::uint64_t value) {
  stat.*field = value;
  return stat;
}

TEST(KnownFiles, KnowsAFileByItsLooks) {
  KnownFiles known;
  const Digest content = Sha256("abc");
  known.Record(MakeFingerprint("box", "x", kStat, content));
  EXPECT_TRUE(known.Knows("box", "x", kStat));
  EXPECT_FALSE(known.Knows("box", "y", kStat));
  EXPECT_FALSE(known.Knows("other", "x", kStat));
  EXPECT_FALSE(known.Knows("box", "x", With(kStat, &FileStat::inode, 8)));
  EXPECT_FALSE(known.Knows("box", "x", With(kStat, &FileStat::size, 4)));
  EXPECT_TRUE(known.KnowsWithContent("box", "x", kStat, content));
  EXPECT_FALSE(known.KnowsWithContent("box", "x", kStat, Sha256("other")));
}

TEST(KnownFiles, KeepsWhatBecameKnownSinceFoldersWereForgottenLast) {
  KnownFiles known;
  const auto none = [](const std::string&) { return false; };
  known.Recognize("old", "x", Sha256("abc"));
  known.ForgetFoldersUnless(none);
  EXPECT_TRUE(known.HasContents("old", "x")) << "it may be about to be written";
  known.Recognize("new", "x", Sha256("abc"));
  known.ForgetFoldersUnless(none);
  EXPECT_FALSE(known.HasContents("old", "x"));
  EXPECT_TRUE(known.HasContents("new", "x"));
}

TEST(KnownFiles, DoubtsAFileWhoseMtimeWasSetBack) {
  KnownFiles known;
  known.Record(MakeFingerprint("box", "x", kStat, Sha256("abc")));
  EXPECT_TRUE(known.Knows("box", "x", kStat));
  FileStat touched = kStat;
  touched.ctime_ns = 201;
  EXPECT_FALSE(known.Knows("box", "x", touched));
  EXPECT_TRUE(known.KnowsContent("box", "x", touched, Sha256("abc")));
  EXPECT_TRUE(known.Knows("box", "x", touched));
}

TEST(KnownFiles, IsNotIrritatedByABackupThatLinks) {
  KnownFiles known;
  known.Record(MakeFingerprint("box", "x", kStat, Sha256("abc")), kStat.ctime_ns);
  FileStat linked = kStat;
  linked.ctime_ns = 201;
  linked.links = 2;
  EXPECT_TRUE(known.Knows("box", "x", linked));
}

TEST(KnownFiles, RecognizesContentThatIsAnnouncedOrOld) {
  KnownFiles known;
  known.Recognize("box", "x", Sha256("v1"));
  known.Recognize("box", "x", Sha256("v2"));
  EXPECT_FALSE(known.Knows("box", "x", kStat));
  EXPECT_FALSE(known.KnowsContent("box", "x", kStat, Sha256("v3")));
  EXPECT_TRUE(known.KnowsContent("box", "x", kStat, Sha256("v1")));
  EXPECT_TRUE(known.Knows("box", "x", kStat));
  EXPECT_TRUE(known.KnowsContent("box", "x", With(kStat, &FileStat::inode, 9), Sha256("v2")));
}

TEST(KnownFiles, TakesOldContentForAStrangersOnceTheNewestIsThere) {
  KnownFiles known;
  known.Record(MakeFingerprint("box", "x", kStat, Sha256("v2")));
  known.Recognize("box", "x", Sha256("v1"));
  known.Recognize("box", "x", Sha256("v2"));
  EXPECT_FALSE(known.KnowsWithContent("box", "x", kStat, Sha256("v3")));
  EXPECT_TRUE(known.KnowsWithContent("box", "x", kStat, Sha256("v2")));
  const FileStat other = With(kStat, &FileStat::inode, 8);
  EXPECT_FALSE(known.KnowsContent("box", "x", other, Sha256("v1")));
  EXPECT_TRUE(known.KnowsContent("box", "x", other, Sha256("v2")));
}

TEST(KnownFiles, ForgetsWhatIsGoneButNotWhatIsAnnounced) {
  KnownFiles known;
  known.Record(MakeFingerprint("box", "gone", kStat, Sha256("a")));
  known.Record(MakeFingerprint("box", "there", kStat, Sha256("a")));
  known.Recognize("box", "coming", Sha256("b"));
  const auto revision = known.revision();
  known.Record(MakeFingerprint("box", "new", kStat, Sha256("a")));
  known.Keep("box", revision, [](const std::string& name) { return name == "there"; });
  EXPECT_EQ(known.size(), 3U);
  EXPECT_TRUE(known.HasContents("box", "new"));
  EXPECT_TRUE(known.HasContents("box", "coming"));
  known.ForgetFolder("box");
  EXPECT_EQ(known.size(), 0U);
}

}  // namespace
}  // namespace agenttalk
