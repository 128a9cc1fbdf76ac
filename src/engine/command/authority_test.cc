#include "engine/command/authority.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/hub_state.h"

namespace agenttalk {
namespace {

class Authority : public testing::Test {
 protected:
  Authority() {
    for (const char* name : {"ann", "bob", "chief", "narrow"}) state_.agents[AgentId(name)];
    state_.agents[AgentId("chief")].settings.permissions = {kSendCommand};
    state_.agents[AgentId("narrow")].settings.permissions = {kSendCommand};
    state_.agents[AgentId("narrow")].settings.visibility = std::vector<AgentId>{AgentId("ann")};
  }
  // The code of the refusal; INTERNAL: it is none.
  ErrorCode Command(const std::string& owner, const std::string& agent) {
    const auto forbidden = ForbidCommand(state_, AgentId(owner), AgentId(agent));
    return forbidden ? forbidden->code : ErrorCode::kInternal;
  }
  HubState state_;
};

TEST_F(Authority, ABoxCommandsItsOwner) {
  EXPECT_EQ(Command("ann", "ann"), ErrorCode::kInternal);
  EXPECT_EQ(Command("ann", "bob"), ErrorCode::kPermissionDenied);
  EXPECT_EQ(Command("nobody", "bob"), ErrorCode::kPermissionDenied);
}

TEST_F(Authority, ThePermissionReachesAsFarAsVisibility) {
  EXPECT_EQ(Command("chief", "bob"), ErrorCode::kInternal);
  EXPECT_EQ(Command("narrow", "ann"), ErrorCode::kInternal);
  EXPECT_EQ(Command("narrow", "bob"), ErrorCode::kNotVisible);
}

}  // namespace
}  // namespace agenttalk
