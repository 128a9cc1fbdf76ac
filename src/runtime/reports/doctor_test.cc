#include "runtime/reports/doctor.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "journal/durable_file.h"
#include "mailbox/temp_hub.h"
#include "runtime/hub_home.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

class DoctorTest : public ::testing::Test {
 protected:
  DoctorTest() {
    hub_.Write("agenttalk.yaml", "version: 1\nagents:\n  ann: {}\n  eve: {runtime: external}\n");
    fs::create_directories(HomeOf(hub_.root()));
  }
  // How the check came out; the worst of several.
  Finding Of(const std::string& check) {
    Finding worst;
    for (const Finding& finding : ExamineSurroundings(hub_.root())) {
      if (finding.check == check && (worst.check.empty() || finding.level > worst.level)) worst = finding;
    }
    return worst;
  }

  TempHub hub_;
};

TEST_F(DoctorTest, FindsNothingWrongWithANewHub) {
  for (const Finding& finding : ExamineSurroundings(hub_.root())) {
    EXPECT_NE(finding.level, Finding::Level::kError) << finding.check << ": " << finding.message;
  }
  EXPECT_EQ(Of("config").message, "2 agents");
  EXPECT_EQ(Of("lock").message, "not in use");
}

TEST_F(DoctorTest, SaysWhoHoldsTheHub) {
  const auto lock = LockFile(HomeOf(hub_.root()) / "journal.lock");
  ASSERT_TRUE(lock.has_value());
  EXPECT_EQ(Of("lock").message, "held by another process");
}

TEST_F(DoctorTest, CountsTheWatchesThatPlansNeed) {
  fs::create_directories(hub_.At("agents/ann/inbox/plan_a"));
  fs::create_directories(hub_.At("agents/ann/inbox/.processed"));
  // The person's outbox, two inboxes, an outbox, and the plan's folder.
  EXPECT_EQ(Of("notifications").message.substr(0, 5), "5 of ");
}

TEST_F(DoctorTest, SeesWhatACrashLeftBehind) {
  hub_.Write(".agenttalk/tmp/17", "half a fi");
  EXPECT_EQ(Of("leftovers").level, Finding::Level::kWarning);
}

TEST_F(DoctorTest, SeesASecretThatOthersCanRead) {
  hub_.Write(".agenttalk/fence.key", "secret");
  ASSERT_EQ(::chmod((HomeOf(hub_.root()) / "fence.key").c_str(), 0644), 0);
  EXPECT_EQ(Of("permissions").level, Finding::Level::kWarning);
  ASSERT_EQ(::chmod((HomeOf(hub_.root()) / "fence.key").c_str(), 0600), 0);
  EXPECT_EQ(Of("permissions").level, Finding::Level::kOk);
}

TEST_F(DoctorTest, TellsWhatIsWrongWithTheConfiguration) {
  hub_.Write("agenttalk.yaml", "version: 1\nagents: 7\n");
  EXPECT_EQ(Of("config").level, Finding::Level::kError);
  EXPECT_NE(Of("config").message.find("line 2"), std::string::npos) << Of("config").message;
}

}  // namespace
}  // namespace agenttalk
