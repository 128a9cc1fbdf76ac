#include "runtime/reports/plan_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <utility>

#include "base/error_code.h"
#include "base/json.h"
#include "engine/role/collaboration.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "model/config/agent_profile.h"
#include "model/events/stage_events.h"
#include "model/steps/internal_plan.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/core/record_name.h"
#include "runtime/history/cost_json.h"
#include "runtime/reports/task_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::array WaitingFor(const PlanState& plan, const CommandRecord& record) {
  json::array names;
  if (record.state == CommandState::kWaitingCollaboration)
    names.emplace_back(AwaitedAgent(plan, record).str());
  if (record.state != CommandState::kWaitingInputs) return names;
  for (std::size_t i = 0; i < record.unmet.size(); ++i) {
    if (record.unmet[i] > 0) names.emplace_back(record.required[i].pattern);
  }
  return names;
}

// How far a command is that is gone about in steps.
json::object RoleJson(const RoleState& role) {
  json::array steps;
  for (std::size_t i = 0; i < role.steps().size(); ++i) {
    steps.push_back(json::object{{"id", role.plan().steps[i].id},
                                 {"type", ToString(role.plan().steps[i].type)},
                                 {"name", role.plan().steps[i].name},
                                 {"state", EnumName(role.steps()[i].phase)},
                                 {"attempts", role.steps()[i].attempts}});
  }
  return {{"strategy", ToString(role.strategy())},
          {"status", EnumName(role.status())},
          {"current_step_index", role.current()},
          {"pending_collaboration_request_id",
           role.pending_request().empty() ? json::value() : json::value(role.pending_request())},
          {"steps", std::move(steps)}};
}

json::object CommandJson(const PlanState& plan, const CommandRecord& record) {
  json::object command{{"command_id", record.id.str()},
                       {"agent", record.agent.str()},
                       {"state", EnumName(record.state)},
                       {"waiting_for", WaitingFor(plan, record)},
                       {"score", nullptr},
                       {"error", nullptr}};
  if (record.execution && record.execution->role) command["role"] = RoleJson(*record.execution->role);
  if (!record.outcome) return command;
  if (record.outcome->score) command["score"] = *record.outcome->score;
  if (record.state != CommandState::kSucceeded) {
    command["error"] = {{"code", ToString(record.outcome->code)}, {"message", record.outcome->message}};
  }
  return command;
}

json::value OriginJson(const PlanState& plan) {
  if (!plan.dag || !plan.dag->origin()) return nullptr;
  const Origin& origin = *plan.dag->origin();
  return json::object{
      {"plan_id", origin.plan.str()}, {"seq", origin.at}, {"task_id", origin.from_task.str()}};
}

// What a person has to decide before the first remark is settled; null: nothing.
json::value QuestionOfRemark(const PlanState& plan) {
  for (const auto& [number, open] : plan.people.questions()) {
    const StageCall* call = plan.goal->FindCall(open.asked.command_id);
    const bool about = call != nullptr && call->matter == StageMatter::kRemark;
    const bool capability = open.asked.matter == GoalMatter::kCapability;
    if (open.asked.purpose == QuestionPurpose::kGoal && (about || capability)) {
      return json::value(QuestionName(number));
    }
  }
  return nullptr;
}

json::array RemarksJson(const PlanState& plan) {
  json::array remarks;
  if (!plan.goal) return remarks;
  for (const RemarkSettled& one : plan.goal->settled()) {
    remarks.push_back(
        json::object{{"remark", one.remark},
                     {"state", one.done ? "done" : "dropped"},
                     {"route", EnumName(one.route)},
                     {"outcome", one.outcome},
                     {"question", nullptr},
                     {"new_plan", one.new_plan.empty() ? json::value() : json::value(one.new_plan.str())}});
  }
  for (const OpenRemark& one : plan.goal->remarks()) {
    remarks.push_back(json::object{{"remark", one.number},
                                   {"state", "open"},
                                   {"route", nullptr},
                                   {"outcome", one.text},
                                   {"question", QuestionOfRemark(plan)},
                                   {"new_plan", nullptr}});
  }
  return remarks;
}

// Without tasks and commands, of which there may be very many.
json::object StatusWithoutLists(const PlanState& plan) {
  json::value goal;
  json::value sha256;
  json::array deliverables;
  json::value phase;
  std::string failure;
  if (plan.goal) {
    goal = plan.goal->words();
    phase = EnumName(plan.goal->phase());
    failure = plan.goal->failure();
  }
  if (plan.dag) {
    if (failure.empty()) failure = plan.dag->failure();
    goal = plan.dag->goal();
    sha256 = plan.dag->document().digest.Hex();
    for (const auto& [name, content] : plan.dag->delivered()) {
      deliverables.emplace_back(fmt::format("plans/{}/deliverables/{}", plan.id.str(), name));
    }
  }
  json::array questions;
  json::array alerts;
  for (const auto& [number, question] : plan.people.questions()) {
    const bool asks = question.asked.kind != QuestionKind::kAlert;
    (asks ? questions : alerts).emplace_back(QuestionName(number));
  }
  return {{"plan_id", plan.id.str()},
          {"goal", std::move(goal)},
          {"tags", json::array(plan.tags.begin(), plan.tags.end())},
          {"state", PlanStateName(plan)},
          {"phase", std::move(phase)},
          {"failure", failure.empty() ? json::value() : json::value(failure)},
          {"forked_from", OriginJson(plan)},
          {"revision", plan.dag ? plan.dag->revision() : 0},
          {"dag_sha256", std::move(sha256)},
          {"tasks", json::array()},
          {"deliverables", std::move(deliverables)},
          {"commands", json::array()},
          {"questions", std::move(questions)},
          {"alerts", std::move(alerts)},
          {"remarks", RemarksJson(plan)},
          {"dead_letters", plan.people.letters().size()},
          {"tokens", {{"input", plan.spent.input_tokens}, {"output", plan.spent.output_tokens}}},
          {"cost_usd", CostUsd(plan.spent)}};
}

}  // namespace

json::object OneCommandJson(const PlanState& plan, const CommandRecord& record) {
  return CommandJson(plan, record);
}

json::object PlanStatusJson(const PlanState& plan) {
  json::object status = StatusWithoutLists(plan);
  status["tasks"] = TasksJson(plan);
  json::array& commands = status["commands"].as_array();
  for (const CommandRecord& record : plan.commands) commands.push_back(CommandJson(plan, record));
  return status;
}

std::string PlanStatusText(const PlanState& plan) {
  const LongList lists[] = {
      {"tasks", plan.dag ? plan.dag->size() : 0,
       [&](std::size_t i) { return json::value(OneTaskJson(plan, static_cast<TaskIndex>(i))); }},
      {"commands", plan.commands.size(),
       [&](std::size_t i) { return json::value(CommandJson(plan, plan.commands[i])); }}};
  return PrettyJson(StatusWithoutLists(plan), lists);
}

}  // namespace agenttalk
