#include "runtime/retention/tar_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/temp_hub.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kMuch = std::uint64_t{1} << 20;

class TarFileTest : public testing::Test {
 protected:
  std::string Write(const std::string& file, const std::string& path, const std::string& bytes,
                    std::uint64_t largest = kMuch) {
    const auto write = [&]() -> Result<void> {
      TarWriter tar = TRY(TarWriter::Create(files_.At(file), largest));
      TRY(tar.Add(path, bytes));
      return tar.Finish();
    };
    const Result<void> written = write();
    return written ? "written" : std::string(ToString(written.error().code));
  }
  // The only entry.
  std::string Read(const std::string& file) {
    auto tar = TarReader::Open(files_.At(file), kMuch);
    if (!tar) return tar.error().message;
    const auto entry = tar->Next();
    if (!entry || !*entry) return entry ? "nothing" : entry.error().message;
    const auto bytes = tar->Read();
    if (!bytes) return bytes.error().message;
    const auto end = tar->Next();
    if (!end || *end) return end ? "more" : end.error().message;
    return (*entry)->path + "=" + *bytes;
  }
  [[nodiscard]] std::uintmax_t Files() const {
    std::uintmax_t count = 0;
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(files_.root())) ++count;
    return count;
  }

  TempHub files_;
};

TEST_F(TarFileTest, ALongPathMayHaveNewlinesInIt) {
  for (const std::string& path :
       {std::string("short\nname"), std::string(120, 'a') + "\nb", std::string(120, 'a') + "\n",
        "\n" + std::string(200, 'a'), std::string(100, 'x'), std::string(101, '\n')}) {
    ASSERT_EQ(Write("a.tar", path, "bytes"), "written");
    EXPECT_EQ(Read("a.tar"), path + "=bytes");
    std::filesystem::remove(files_.At("a.tar"));
  }
}

TEST_F(TarFileTest, WhatAKilledProcessLeftIsInNobodysWay) {
  files_.Write("a.tar.unfinished", "half of an archive");
  EXPECT_EQ(Write("a.tar", "path", "bytes"), "written");
  EXPECT_EQ(Read("a.tar"), "path=bytes");
  EXPECT_EQ(Files(), 1U) << "and it is gone";
}

TEST_F(TarFileTest, TwoWritersOfOneFileDoNotMeet) {
  const auto first = TarWriter::Create(files_.At("a.tar"), kMuch);
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(Write("a.tar", "path", "bytes"), "ALREADY_EXISTS");
  EXPECT_TRUE(files_.Exists("a.tar.unfinished")) << "the first one still writes it";
}

TEST_F(TarFileTest, AFileThatIsThereIsNotReplacedAndNothingIsLeftBeside) {
  ASSERT_EQ(Write("a.tar", "path", "bytes"), "written");
  EXPECT_EQ(Write("a.tar", "path", "other"), "ALREADY_EXISTS");
  EXPECT_EQ(Read("a.tar"), "path=bytes");
  EXPECT_EQ(Files(), 1U);
}

TEST_F(TarFileTest, AWriterStopsAtTheLimitOfTheReader) {
  ASSERT_EQ(Write("a.tar", "path", std::string(2000, 'x')), "written");
  const std::uint64_t size = std::filesystem::file_size(files_.At("a.tar"));
  ASSERT_EQ(Write("b.tar", "path", std::string(2000, 'x'), size), "written");
  EXPECT_TRUE(TarReader::Open(files_.At("b.tar"), size).has_value());
  EXPECT_EQ(Write("c.tar", "path", std::string(2000, 'x'), size - 1), "TOO_LARGE");
  EXPECT_FALSE(TarReader::Open(files_.At("b.tar"), size - 1).has_value());
  EXPECT_EQ(Files(), 2U);
}

}  // namespace
}  // namespace agenttalk
