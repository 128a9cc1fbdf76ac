#include "engine/state/working_memory.h"

#include <gtest/gtest.h>

#include "base/ids.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

TEST(WorkingMemory, IsBounded) {
  WorkingMemory memory;
  for (int i = 0; i < 100; ++i) {
    memory.Write(AgentId("a"), TaskId("t"), {MemoryKind::kMessage, AgentId("b"), {{}, 10, 0}});
  }
  EXPECT_EQ(memory.Find(AgentId("a"), TaskId("t"))->entries.size(), Notebook::kMostEntries);
  EXPECT_EQ(memory.Find(AgentId("a"), TaskId("t"))->dropped, 36U);
  memory.Write(AgentId("a"), TaskId("t"), {MemoryKind::kMessage, AgentId("b"), {{}, 1 << 20, 0}});
  EXPECT_EQ(memory.Find(AgentId("a"), TaskId("t"))->entries.size(), 1U);
}

}  // namespace
}  // namespace agenttalk
