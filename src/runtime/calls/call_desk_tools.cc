#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/plant.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "runtime/answers/folder_files.h"
#include "runtime/calls/call_desk.h"
#include "runtime/core/core.h"
#include "tools/tool_runner.h"

// The tools of commands: those of one command run one after another, and a tool may ask a person.
namespace agenttalk {

void CallDesk::StartToolCall(const PlanState& plan, const CommandRecord& record, const OpenCall& call) {
  const auto [line, is_new] = tool_lines_.try_emplace({plan.id, record.id});
  if (is_new) {
    line->second.running = call.call;
    RunTool(plan, record, call);
    return;
  }
  std::deque<OpenCall>& waiting = line->second.waiting;
  const bool known = line->second.running == call.call ||
                     std::ranges::find(waiting, call.call, &OpenCall::call) != waiting.end();
  if (!known) waiting.push_back(call);
}

void CallDesk::StartNextTools() {
  for (auto at = tool_lines_.begin(); at != tool_lines_.end();) {
    const auto& [plan_id, command] = at->first;
    ToolLine& line = at->second;
    const PlanState* plan = core_.FindLoaded(plan_id);
    const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(command);
    if (record == nullptr || !record->execution) {
      at = tool_lines_.erase(at);
      continue;
    }
    const auto find = [&](std::uint32_t call) {
      const auto& open = record->execution->open;
      const auto found = std::ranges::find(open, call, &OpenCall::call);
      return found == open.end() ? nullptr : &*found;
    };
    if (find(line.running) == nullptr && line.recorded == 0) line.recorded = plan->last_event;
    if (line.recorded == 0 || core_.committed() < line.recorded) {
      ++at;
      continue;
    }
    while (!line.waiting.empty() && find(line.waiting.front().call) == nullptr) line.waiting.pop_front();
    if (line.waiting.empty()) {
      at = tool_lines_.erase(at);
      continue;
    }
    // While a person is asked about one tool, those that may be repeated continue; the others wait for the
    // command to run again.
    const bool may_run = record->state == CommandState::kRunning ||
                         (record->state == CommandState::kWaitingHuman && line.waiting.front().idempotent);
    if (!may_run) {
      ++at;
      continue;
    }
    const OpenCall next = std::move(line.waiting.front());
    line.waiting.pop_front();
    line.running = next.call;
    line.recorded = 0;
    ++at;
    RunTool(*plan, *record, next);
  }
}

void CallDesk::RunTool(const PlanState& plan, const CommandRecord& record, const OpenCall& call) {
  const Key key{plan.id, record.id, call.call};
  if (calls_.contains(key)) return;
  auto arguments = core_.contents().Load(call.subject);
  if (!arguments) {
    core_.Post(
        ToolCallDone{key.plan, key.command, key.call, {}, arguments.error().code, arguments.error().message});
    return;
  }
  ToolInvocation invocation{record.agent,  plan.id,
                            record.id,     call.tool,
                            **arguments,   fmt::format("{}/{}/{}", plan.id.str(), record.id.str(), call.call),
                            record.timeout};
  invocation.inputs = FolderInputs(record);
  invocation.outputs = record.execution->outputs;
  invocation.read = [&contents = core_.contents()](const Content& content) {
    return contents.ReadDurable(content);
  };
  invocation.ask = [this, key](const ToolQuestion& question, std::function<void(const ToolAnswer&)> answer) {
    AskForTool(key, question, std::move(answer));
  };
  invocation.progress = [this, key](const std::string& text) {
    core_.Submit(ToolProgress{key.plan, key.command, key.call, text});
  };
  calls_[key];
  Witness([&key] { return fmt::format("{}/{}/{}", key.plan.str(), key.command.str(), key.call); });
  auto running = tools_.Run(std::move(invocation), [this, key](ToolOutcomeReport report) {
    calls_.erase(key);
    ToolCallDone done{key.plan, key.command, key.call, std::move(report.output), {}, {}};
    if (report.error) {
      done.error = report.error->code;
      done.message = report.error->message;
      if (done.result.empty()) done.result = report.error->message;
    }
    for (LeftFile& file : report.left)
      done.captured.emplace_back(std::move(file.name), Payload(std::move(file.bytes)));
    done.removed = std::move(report.removed);
    core_.Post(std::move(done));
  });
  if (const auto open = calls_.find(key); open != calls_.end()) open->second.tool = std::move(running);
}

void CallDesk::AskForTool(const Key& key, const ToolQuestion& question,
                          std::function<void(const ToolAnswer&)> answer) {
  core_.Submit(ToolQuestionRaised{key.plan, key.command, key.call, question.text},
               [this, plan = key.plan, answer = std::move(answer)](const Reply& reply) {
                 if (reply.event != 0) {
                   asked_[{plan, reply.event}] = answer;
                 } else {
                   answer({});  // the call is over, or nobody can be asked
                 }
               });
}

void CallDesk::QuestionEnded(const PlanId& plan, const QuestionClosed& closed) {
  const auto found = asked_.find({plan, closed.question});
  if (found == asked_.end()) return;
  const auto answer = std::move(found->second);
  asked_.erase(found);
  ToolAnswer said;
  said.text = closed.expired ? std::string() : closed.text;
  if (closed.decision == Decision::kApprove) said.decision = ToolAnswer::Decision::kApprove;
  if (closed.decision == Decision::kReject) said.decision = ToolAnswer::Decision::kReject;
  answer(said);
}

}  // namespace agenttalk
