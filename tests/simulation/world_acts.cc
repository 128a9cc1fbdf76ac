#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "mailbox/file_system.h"
#include "mailbox/intake.h"
#include "model/command/reading.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/files/post_office.h"
#include "runtime/node.h"
#include "simulation/chance.h"
#include "simulation/dag_plans.h"
#include "simulation/world.h"
#include "simulation/world_names.h"

// What strangers, people and the machine do to a node.
namespace agenttalk {

using std::chrono::seconds;

std::string World::SomeName() {
  return chance_.OneIn(3) ? fmt::format("feedback_{}.json", chance_.Below(4))
                          : fmt::format("file_{}.txt", chance_.Below(5));
}

std::string World::CommandText(const std::string& plan, const std::string& id) {
  std::string inputs;
  for (std::uint64_t i = chance_.Below(3); i > 0; --i) {
    if (!inputs.empty()) inputs += ",";
    inputs += chance_.OneIn(3)
                  ? fmt::format(R"({{"pattern":"feedback_*.json","min":{}}})", 1 + chance_.Below(3))
                  : "\"" + SomeName() + "\"";
  }
  const bool scored = chance_.OneIn(3);
  const std::string target = chance_.OneIn(8) ? "nobody" : chance_.Pick(kAgents);
  const std::string route =
      scored
          ? fmt::format(
                R"("send_to_condition":[{{"min_score":70,"send_to":["{}"]}},{{"min_score":0,"send_to":["bo"]}}])",
                target)
          : fmt::format(R"("send_to":["{}","human"])", target);
  return fmt::format(
      R"({{"command_id":"{}","plan_id":"{}","prompt":"work","required_inputs":[{}],"wait_for_inputs":{},)"
      R"("score_required":{},"score_criteria":"0-100","timeout":{},"retry_times":{},"priority":{},)"
      R"("on_complete":{{{},"output_name":"{}","message_template":"{{result}} {{score}}"}},)"
      R"("on_failure":{{"send_to":["cy"],"message_template":"{{error}}"}}}})",
      id, plan, inputs, !chance_.OneIn(5), scored, 20 + chance_.Below(200), chance_.Below(3),
      chance_.Below(3), route, SomeName());
}

void World::DropCommand() {
  const std::string plan = chance_.Pick(kPlans);
  // Now and then an id that was used before, at the same or another agent, with the same or other content.
  const bool again = chance_.OneIn(8) && next_command_ > 0;
  const std::string id = fmt::format("cmd_{}", again ? chance_.Below(next_command_) : next_command_++);
  const std::string agent = chance_.Pick(kAgents);
  const std::string folder = chance_.OneIn(3) ? "" : plan + "/";
  const std::string path = fmt::format("agents/{}/inbox/{}{}.json", agent, folder, id);
  Note("drop " + path);
  if (!folder.empty()) files_.DropDirectory(fmt::format("agents/{}/inbox/{}", agent, plan));
  const std::string text = CommandText(plan, id);
  files_.DropFile(path, text);
  // A file that its own writer replaced before anybody could take it in is nobody's loss.
  if (const auto replaced = dropped_.find(path); replaced != dropped_.end())
    oracle_.Lost(replaced->second.first);
  if (again) return;
  oracle_.Dropped({plan, id}, path);
  dropped_[path] = {{plan, id}, text};
}

void World::DropInput() {
  const std::string agent = chance_.Pick(kAgents);
  const std::string folder = chance_.OneIn(4) ? "" : chance_.Pick(kPlans) + "/";
  if (!folder.empty())
    files_.DropDirectory(fmt::format("agents/{}/inbox/{}", agent, folder.substr(0, folder.size() - 1)));
  const std::string path = fmt::format("agents/{}/inbox/{}{}", agent, folder, SomeName());
  Note("drop " + path);
  const std::string content = fmt::format("content {}", chance_.Below(3));
  files_.DropFile(path, content);
  oracle_.InputDropped(agent, path.substr(path.rfind('/') + 1), content);
}

void World::DropRubbish() {
  const std::string base = fmt::format("agents/{}/inbox/", chance_.Pick(kAgents));
  const std::uint64_t kind = chance_.Below(5);
  const std::string name = fmt::format("cmd_bad{}.json", next_client_++);
  Note("rubbish " + base + name);
  if (kind == 0) files_.DropFile(base + name, R"({"command_id":)");
  if (kind == 1) files_.DropFile(base + name, R"({"command_id":"cmd_x","plan_id":"../up","prompt":""})");
  if (kind == 2) files_.DropSymlink(base + name, "/etc/passwd");
  if (kind == 3) files_.DropFifo(base + name);
  if (kind == 4) files_.DropFile(base + ".hidden" + name, "{}");
}

void World::SendCommand() {
  const std::string plan = chance_.Pick(kPlans);
  const std::string id = fmt::format("cmd_{}", next_command_++);
  const std::string text = CommandText(plan, id);
  const ReadCommandResult read = ParseCommand(text, CommandStrictness::kIntake);
  if (!read.command)
    throw Violation("the generator made a bad command: " + read.issues.errors.front().message);
  Note("send " + plan + "/" + id);
  node_->core().Submit(ToCommandFile(AgentId(chance_.Pick(kAgents)), *read.command, text, {}),
                       [this, plan, id](const Reply& reply) {
                         if (reply.status == Reply::Status::kAccepted) oracle_.Acknowledged({plan, id});
                       });
}

void World::SubmitDag() {
  std::optional<PlanSubmission> submission = dags_.Submit(node_->core().state());
  if (!submission) return;
  const PlanId plan = submission->plan_id;
  Note(fmt::format("submit {} of {} tasks", plan.str(), submission->dag.nodes.size()));
  node_->core().Submit(*std::move(submission), [this, plan](const Reply& reply) {
    if (reply.status == Reply::Status::kAccepted) dags_.Acknowledged(plan);
  });
}

void World::ControlPlan() {
  PlanControl control;
  control.plan_id = PlanId(chance_.OneIn(4) ? DagPlans::kWild : chance_.Pick(kPlans));
  control.verb = chance_.OneIn(10)  ? ControlVerb::kCancel
                 : chance_.OneIn(3) ? ControlVerb::kPause
                                    : ControlVerb::kResume;
  control.client_id =
      fmt::format("client_{}", chance_.OneIn(5) ? chance_.Below(next_client_ + 1) : next_client_++);
  Note("control " + control.plan_id.str());
  node_->core().Submit(std::move(control));
}

void World::AnswerQuestion(bool approve) {
  const HubState& state = node_->core().state();
  for (const std::string& plan : kAllPlans) {
    const PlanState* found = node_->core().FindLoaded(PlanId(plan));
    if (found == nullptr || found->people.questions().empty()) continue;
    QuestionAnswer answer;
    answer.plan_id = found->id;
    answer.question = found->people.questions().begin()->first;
    answer.decision = approve ? Decision::kApprove : Decision::kReject;
    // What is done again after a failure does not follow from what the commands came to, and whoever has
    // everything done again that fails the same way each time never comes to rest.
    const bool replan = found->people.questions().begin()->second.asked.purpose == QuestionPurpose::kReplan;
    if (replan && (calm_ || plan == DagPlans::kSteady)) answer.decision = Decision::kReject;
    node_->core().Submit(std::move(answer));
    return;
  }
  if (state.hub_plan.people.questions().empty()) return;
  QuestionAnswer answer;
  answer.question = state.hub_plan.people.questions().begin()->first;
  node_->core().Submit(std::move(answer));
}

// As a program does it: by what it finds in its inbox.
void World::AnswerExternal() {
  for (const std::string& plan : kAllPlans) {
    const auto entries = files_.List(fmt::format("agents/ext/inbox/{}", plan));
    if (!entries) continue;
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = fmt::format("agents/ext/outbox/{}/result_{}", plan, entry.name);
      if (!entry.name.starts_with("cmd_") || files_.Exists(path)) continue;
      files_.DropDirectory(fmt::format("agents/ext/outbox/{}", plan));
      Note("external " + path);
      const bool fails = !calm_ && chance_.OneIn(6);
      const bool lacks = !calm_ && chance_.OneIn(6);
      files_.DropFile(path, fails   ? R"({"error":{"message":"not today","retry":true}})"
                            : lacks ? R"({"score":50})"
                                    : R"({"result":"from outside","score":50})");
      return;
    }
  }
}

void World::MoveClock() {
  const std::uint64_t kind = chance_.Below(13);
  if (kind < 8) clocks_.Pass(Duration(static_cast<std::int64_t>(chance_.Below(3'000'000))));
  if (kind == 8 || kind == 9) {
    const Timestamp now = clock_->Now();
    clocks_.Pass(std::max(now, std::min(node_->NextWake(), now + seconds(100))) - now);
  }
  if (kind == 10) clocks_.Pass(seconds(300));  // the machine slept
  if (kind == 11) SetWallClock(-seconds(40));
  if (kind == 12) SetWallClock(std::chrono::hours(48));
  files_.SetTime(clocks_.Wall());
}

// Somebody sets the machine's clock: the engine's time stands where it stood, and the jump is recorded.
void World::SetWallClock(Duration by) {
  Note("set the wall clock");
  const Timestamp before = clock_->Now();
  clocks_.SetWall(clocks_.Wall() + by);
  if (clock_->Now() != before) throw Violation("engine time followed the wall clock");
  const auto jump = clock_->TakeJump();
  if (!jump || *jump != by) throw Violation("the jump of the wall clock was not noticed");
  node_->core().Submit(ClockJump{*jump});
}

void World::FillOrFreeDisk() {
  Note("disk");
  disk_fails_ = chance_.OneIn(2);
  files_.SetFailureRate(disk_fails_ ? 0.3 : 0);
}

void World::Act() {
  const std::uint64_t what = chance_.Below(100);
  if (what < 30)
    node_->Step();
  else if (what < 50)
    Commit();
  else if (what < 58)
    DropCommand();
  else if (what < 64)
    DropInput();
  else if (what < 67)
    DropRubbish();
  else if (what < 71)
    SendCommand();
  else if (what < 82 && model_.open() > 0)
    model_.ReplyTo(chance_.Below(model_.open()), chance_, false);
  else if (what < 86 && tools_.open() > 0)
    tools_.Finish(chance_.Below(tools_.open()), chance_, false);
  else if (what < 88)
    ControlPlan();
  else if (what < 90)
    AnswerQuestion(chance_.OneIn(2));
  else if (what < 92)
    AnswerExternal();
  else if (what < 97)
    MoveClock();
  else if (what < 98)
    chance_.OneIn(2) ? FillOrFreeDisk() : StopAndStart();
  else if (what < 99)
    Crash();
  else
    SubmitDag();
}

}  // namespace agenttalk
