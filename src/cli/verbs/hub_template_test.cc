#include "cli/verbs/hub_template.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>

#include "base/error_code.h"
#include "cli/hub_location.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class MakeHubTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "agenttalk-init-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_;
};

TEST_F(MakeHubTest, WritesEveryFileOfTheTemplateAsItIs) {
  const auto written = MakeHub(root_ / "new" / "hub", "report");
  ASSERT_TRUE(written.has_value()) << written.error().message;
  EXPECT_EQ(written->back(), kHubFile) << "what makes it a hub must come last";
  EXPECT_TRUE(std::ranges::find(*written, "notes/friday.md") != written->end());
  for (const std::string& file : *written) {
    EXPECT_EQ(Read(root_ / "new" / "hub" / file),
              Read(fs::path(AGENTTALK_SOURCE_DIR) / "templates/report" / file));
  }
  EXPECT_TRUE(fs::is_directory(root_ / "new" / "hub" / "human" / "outbox"));
}

TEST_F(MakeHubTest, NeverOverwritesAHub) {
  ASSERT_TRUE(MakeHub(root_, "blank").has_value());
  const auto again = MakeHub(root_, "report");
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
  EXPECT_FALSE(fs::exists(root_ / "plan.yaml"));
}

TEST_F(MakeHubTest, WritesNothingWhenAFileIsInTheWay) {
  std::ofstream(root_ / "plan.yaml") << "mine";
  ASSERT_FALSE(MakeHub(root_, "report").has_value());
  EXPECT_FALSE(fs::exists(root_ / "answers.yaml"));
  EXPECT_EQ(Read(root_ / "plan.yaml"), "mine");
}

TEST_F(MakeHubTest, RefusesAnUnknownTemplate) {
  EXPECT_EQ(MakeHub(root_, "nope").error().code, ErrorCode::kUsage);
  EXPECT_EQ(MakeHub(root_, "").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace agenttalk
