#include "cli/hub_location.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/error_code.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

class FindHubTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("AGENTTALK_HUB");
    std::string name = (fs::temp_directory_path() / "agenttalk-hub-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::create_directories(root_ / "hub" / "agents" / "a");
    std::ofstream(root_ / "hub" / kHubFile) << "version: 1\n";
  }
  void TearDown() override {
    unsetenv("AGENTTALK_HUB");
    fs::remove_all(root_);
  }
  fs::path root_;
};

TEST_F(FindHubTest, LooksUpwards) {
  EXPECT_EQ(FindHub("", root_ / "hub" / "agents" / "a"), root_ / "hub");
  EXPECT_EQ(FindHub("", root_), std::nullopt);
}

TEST_F(FindHubTest, TakesTheNamedHubFirst) {
  setenv("AGENTTALK_HUB", root_.c_str(), 1);
  EXPECT_EQ(FindHub((root_ / "hub").string(), root_), root_ / "hub");
}

TEST_F(FindHubTest, TakesTheEnvironmentsHubBeforeAParent) {
  setenv("AGENTTALK_HUB", (root_ / "hub").c_str(), 1);
  EXPECT_EQ(FindHub("", root_), root_ / "hub");
}

TEST_F(FindHubTest, RefusesANamedDirectoryThatIsNoHub) {
  const auto found = FindHub(root_.string(), root_ / "hub");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ErrorCode::kHubMissing);
}

}  // namespace
}  // namespace agenttalk
