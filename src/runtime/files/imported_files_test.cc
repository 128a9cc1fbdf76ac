#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/turn/turn.h"
#include "journal/stream_changes.h"
#include "mailbox/mirror_writer.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/core_fixture.h"
#include "runtime/files/event_files.h"
#include "runtime/files/file_sink.h"

namespace agenttalk {
namespace {

// Remembers where anything was to happen.
class PathSink final : public FileSink {
 public:
  void Publish(const std::string& path, const Content&, Overwrite) override { paths.insert(path); }
  void PublishText(const std::string& path, std::string) override { paths.insert(path); }
  void PublishMade(const std::string& path, FileMaker) override { paths.insert(path); }
  void Remove(const std::string& path) override { paths.insert("-" + path); }
  void Retract(const std::string& path, const Content&) override { paths.insert("-" + path); }
  void RemoveFolder(const std::string& path) override { paths.insert("-" + path + "/"); }
  void Forget(const std::string& path) override { paths.insert("-" + path); }
  void Found(const std::string& path, const Content&) override { paths.insert(path); }
  void AppendLine(const std::string& path, LineNumber, LineMaker, std::uint64_t) override {
    paths.insert("+" + path);
  }
  std::set<std::string> paths;
};

using Paths = std::set<std::string>;

class ImportedFiles : public CoreTest {
 protected:
  void SetUp() override {
    Start();
    Configure({"alice", "bob"});
    Commit();
  }

  // A plan comes from elsewhere, without the checks of its archive: a hub may have taken it in before those
  // were made. Where its files were to be.
  Paths Import(std::vector<EventBody> bodies) {
    const PlanId plan("plan_a");
    std::vector<Event> events;
    for (EventBody& body : bodies) {
      Event& event = events.emplace_back();
      event.plan_id = plan;
      event.body = std::move(body);
    }
    ImportedStream stream;
    stream.stream = plan;
    stream.rows.push_back({1, static_cast<std::uint32_t>(events.size()), EncodeEvents(events)});
    const PlanImported imported{plan, "completed", events.size(), 1, events.size(), {}};
    core().SubmitImport({imported}, std::move(stream), {}, [](const Reply&) {});
    Commit();
    EventFiles files(core(), journal_);
    PathSink sink;
    auto event = std::make_shared<Event>();
    event->number = core().committed();
    event->body = imported;
    files.Show(event, sink);
    return sink.paths;
  }

  static InputArrived Arrived(const std::string& agent, const std::string& name) {
    InputArrived arrived;
    arrived.agent_id = AgentId(agent);
    arrived.name = name;
    return arrived;
  }
};

TEST_F(ImportedFiles, WhatOnlyTheHubSaysOfPlansIsNotShownOfAPlan) {
  const Paths paths = Import(
      {PlanChanged{PlanChange::kOpened, {}}, PlanImported{PlanId("plan_a"), "completed", 4, 1, 4, {}},
       PlanRemoved{PlanId("plan_live/cmd_1/work"), "completed", {}, {}, {}}, Arrived("alice", "a.md")});
  EXPECT_EQ(paths, (Paths{"agents/alice/inbox/plan_a/a.md", "+agents/alice/logs/activity.jsonl",
                          "+plans/plan_a/deliveries.jsonl"}));
}

TEST_F(ImportedFiles, NoNameInAnEventLeadsOutOfThePlansFolders) {
  MessageSent sent;
  sent.to = AgentId("human");
  sent.from = AgentId("alice");
  sent.message_id = "../plan_live/msg_1";
  MessageSent from = sent;
  from.from = AgentId("bob/outbox/plan_live/x");
  from.message_id = "msg_2";
  DagAdopted adopted;
  adopted.nodes.resize(1);
  adopted.nodes[0].task_id = TaskId("t");
  TaskCompleted completed;
  completed.task_id = TaskId("t");
  completed.deliverables = {{"../../plan_live/deliverables/a.md", {}}, {"b.md", {}}};
  const Paths paths = Import({PlanChanged{PlanChange::kOpened, {}}, Arrived("bob/inbox/plan_live", "a.md"),
                              Arrived("../../x", "a.md"), Arrived("bob", "../plan_live/a.md"), sent, from,
                              adopted, completed});
  EXPECT_EQ(paths,
            (Paths{"human/inbox/plan_a/msg_2.json", "plans/plan_a/deliverables/b.md",
                   "plans/plan_a/task_dag.json", "plans/plan_a/dag_history/rev_0000.json",
                   "plans/plan_a/dag_history/rev_0000.task_dag.json", "+agents/alice/logs/decision.jsonl",
                   "+agents/bob/logs/activity.jsonl", "+plans/plan_a/deliveries.jsonl"}));
}

}  // namespace
}  // namespace agenttalk
