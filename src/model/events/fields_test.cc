#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/fields_check.h"
#include "model/answer/thinking_command.h"
#include "model/command/brief.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"

namespace agenttalk {
namespace {

TEST(Fields, EveryMemberOfWhatIsStoredIsListed) {
  FieldsCheck check;
  check.Check<EventBody>();
  check.Check<CommandBrief>();
  check.Check<StoredRequest>();
  check.Check<ToolSpec>();
  check.Check<TaskDag>();
  check.Check<ThinkingCommand>();
  check.Check<ModelAnswer>();
  check.Check<ModelError>();
  EXPECT_EQ(check.wrong(), std::vector<std::string>());
  EXPECT_EQ(check.uncounted(), std::vector<std::string>());
  EXPECT_GE(check.checked(), 90U) << "types are left out";
}

struct Complete {
  int one = 0;
  std::string two;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("one", self.one), f("two", self.two);
  }
};

struct Forgetful {
  int one = 0;
  std::vector<Complete> two;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("two", self.two);
  }
};

TEST(Fields, AForgottenMemberIsNoticed) {
  FieldsCheck check;
  check.Check<Forgetful>();
  ASSERT_EQ(check.wrong().size(), 1U);
  EXPECT_NE(check.wrong()[0].find("lists 1 of 2 members"), std::string::npos) << check.wrong()[0];
}

}  // namespace
}  // namespace agenttalk
