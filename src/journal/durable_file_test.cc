#include "journal/durable_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "journal/journal_test_support.h"

namespace agenttalk {
namespace {

TEST(DurableFile, ReadsAFileUpToTheLimit) {
  const TempDirectory directory;
  const std::filesystem::path file = directory.path() / "text";
  std::ofstream(file) << "twelve bytes";
  EXPECT_EQ(ReadFileUpTo(file, 1 << 20).value(), "twelve bytes");
  EXPECT_EQ(ReadFileUpTo(file, 12).value(), "twelve bytes");
  EXPECT_EQ(ReadFileUpTo(file, 6).value(), "twelve");
  EXPECT_EQ(CodeOf(ReadFileUpTo(directory.path() / "none", 6)), "NOT_FOUND");
}

TEST(DurableFile, TakesMemoryForTheFileNotForTheLimit) {
  const TempDirectory directory;
  const std::filesystem::path file = directory.path() / "text";
  std::ofstream(file) << "small";
  EXPECT_LT(ReadFileUpTo(file, 64 << 20).value().capacity(), 1000);
}

// The kernel says that such files have no size.
TEST(DurableFile, ReadsFilesThatAreLongerThanTheySay) {
  EXPECT_FALSE(ReadFileUpTo("/proc/self/status", 1 << 20).value().empty());
}

}  // namespace
}  // namespace agenttalk
