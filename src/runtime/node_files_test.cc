#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "mailbox/sim_file_system.h"
#include "model/config/hub_config.h"
#include "runtime/hub_in_memory.h"
#include "runtime/node.h"

// How the files of a whole node follow its journal.
namespace agenttalk {
namespace {

constexpr const char* kNote = "agents/ext/inbox/plan_a/one.txt";

void DropCommand(HubInMemory& hub, const std::string& agent, const std::string& id, const std::string& more) {
  hub.files.DropFile("agents/" + agent + "/inbox/" + id + ".json",
                     R"({"command_id":")" + id + R"(","plan_id":"plan_a","prompt":"Do it.",)" + more + "}");
}

// The plan stays open until this file is there.
constexpr const char* kLast = "agents/alice/inbox/plan_a/last.txt";
void KeepOpen(HubInMemory& hub) {
  DropCommand(hub, "alice", "cmd_last", R"("required_inputs":["last.txt"])");
}

// ext answers a command, and its answer goes to its own inbox.
void WriteNote(HubInMemory& hub, const std::string& id, const std::string& text) {
  DropCommand(hub, "ext", id, R"("on_complete":{"send_to":["ext"],"output_name":"one.txt"})");
  hub.RunOn();
  hub.files.DropFile("agents/ext/outbox/plan_a/result_" + id + ".json", R"({"result":")" + text + R"("})");
  hub.RunOn();
}

TEST(NodeFiles, WhatWasPutOffDoesNotReplaceNewerInputsOfAnExternalAgent) {
  HubInMemory hub;
  hub.mirror = MirrorMode::kLazy;
  hub.limits.slice_at_rest = hub.limits.slice_beside_work = 4;
  hub.Boot();
  KeepOpen(hub);
  WriteNote(hub, "cmd_1", "first");
  EXPECT_EQ(hub.files.Contents(kNote), "first");
  WriteNote(hub, "cmd_2", "second");
  hub.files.DropFile(kLast, "");
  do {
    ASSERT_EQ(hub.files.Contents(kNote), "second");
  } while (hub.node().Step() || hub.Commit() || hub.node().NextWake() <= hub.clock.Now());
  EXPECT_TRUE(hub.files.Exists("plans/plan_a/deliveries.jsonl")) << "this test shows nothing";
}

}  // namespace
}  // namespace agenttalk
