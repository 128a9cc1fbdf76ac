#include "engine/command_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/budget.h"
#include "engine/collaboration.h"
#include "engine/dag_commands.h"
#include "engine/dag_flow.h"
#include "engine/dag_fold.h"
#include "engine/dag_inputs.h"
#include "engine/dag_outputs.h"
#include "engine/dag_state.h"
#include "engine/gateway.h"
#include "engine/hub_state.h"
#include "engine/input.h"
#include "engine/plan_state.h"
#include "engine/role_flow.h"
#include "engine/router.h"
#include "engine/stage_calls.h"
#include "engine/stage_flow.h"
#include "engine/stage_tasks.h"
#include "engine/step.h"
#include "engine/thinking_flow.h"
#include "model/command.h"
#include "model/content.h"
#include "model/event.h"
#include "model/task_dag.h"

namespace agenttalk {
namespace {

constexpr Duration kFirstBackoff = std::chrono::seconds(1);
constexpr Duration kLongestBackoff = std::chrono::minutes(5);
constexpr double kTimeoutGrowth = 1.5;

Duration AttemptTimeout(const CommandRecord& record) {
  const double factor = std::pow(kTimeoutGrowth, std::min(record.execution->failures, 30U));
  return Duration(static_cast<std::int64_t>(static_cast<double>(record.timeout.count()) * factor));
}

const Inbox* SharedInbox(Step& step, const AgentId& agent) {
  const auto found = step.state().own.inboxes.find(agent);
  return found == step.state().own.inboxes.end() ? nullptr : &found->second;
}

// The task that a command belongs to; kNone in an open plan.
TaskIndex TaskOf(const PlanState& plan, const CommandRecord& record) {
  return plan.dag ? plan.dag->Find(record.task) : DagState::kNone;
}

// Fixes the versions of the inputs and queues the command at its agent.
void BindInputs(Step& step, PlanState& plan, const CommandRecord& record) {
  CommandReadied readied;
  readied.command_id = record.id;
  if (const TaskIndex task = TaskOf(plan, record); task != DagState::kNone) {
    TaskInputs bound = BindTaskInputs(plan, record, task);
    readied.inputs = std::move(bound.inputs);
    readied.missing = std::move(bound.missing);
    step.Emit(plan, std::move(readied));
    if (record.agent.str() == kHuman) {
      AskForWork(step, plan, record, plan.dag->Node(task));
    } else {
      step.Touch(record.agent);
    }
    return;
  }
  std::vector<BoundInput>& bound = readied.inputs;
  for (const RequiredInput& required : record.required) {
    std::vector<BoundInput> found =
        plan.Matches(record.agent, required.pattern, SharedInbox(step, record.agent));
    if (found.size() < required.min) readied.missing.push_back(required.pattern);
    std::ranges::move(found, std::back_inserter(bound));
  }
  std::ranges::stable_sort(bound, {}, &BoundInput::name);
  // A file that meets two requirements is one input.
  const auto again = std::ranges::unique(bound, {}, &BoundInput::name);
  bound.erase(again.begin(), again.end());
  step.Emit(plan, std::move(readied));
  step.Touch(record.agent);
}

void RefuseCommand(Step& step, CommandFile& file, ErrorCode code, std::string message, std::string hint) {
  RejectedFile refused;
  refused.agent_id = file.agent_id;
  refused.plan_id = file.plan_id;
  refused.command_id = file.command.command_id;
  refused.file = file.source ? file.source->name : fmt::format("{}.json", file.command.command_id.str());
  refused.body = Payload(std::move(file.body));
  refused.code = code;
  refused.message = std::move(message);
  refused.hint = std::move(hint);
  refused.source = std::move(file.source);
  OnRejectedFile(step, std::move(refused));
}

// True when the command is not a new one; then it has been answered.
bool AnswerKnownCommand(Step& step, PlanState& plan, CommandFile& file) {
  const Command& command = file.command;
  if (const CommandRecord* known = plan.FindByKey(file.agent_id, command.idempotency_key)) {
    if (known->payload != file.payload) {
      RefuseCommand(step, file, ErrorCode::kIdempotencyConflict,
                    fmt::format("the key {} was used by {} with other content", command.idempotency_key,
                                known->id.str()),
                    "give the new command an id and key of its own");
      return true;
    }
    const std::uint64_t event =
        step.Emit(plan, CommandRepeated{known->id, file.agent_id, std::move(file.source)});
    step.reply = {Reply::Status::kRepeated, {}, known->id, event};
    return true;
  }
  if (plan.Find(command.command_id) == nullptr) return false;
  RefuseCommand(step, file, ErrorCode::kCommandIdReused,
                fmt::format("{} exists already in {}", command.command_id.str(), plan.id.str()),
                "use a command_id that is new in its plan");
  return true;
}

// What became of a file that was taken in before: after a crash only its move has to be made up for.
Reply RecallFile(const PlanState& plan, const FileFingerprint& source) {
  for (const auto& [number, open] : plan.letters) {
    const DeadLettered& letter = open.letter;
    if (letter.source != source) continue;
    return {Reply::Status::kRefused, Error{letter.code, letter.message, letter.hint}, letter.command_id,
            number};
  }
  return {};
}

// In a task's line of commands a higher sequence number replaces the lower ones that have not started; a
// lower one that comes late is itself out of date.
bool SupersedeInTask(Step& step, PlanState& plan, const CommandRecord& added) {
  if (added.task.empty()) return false;
  bool outdated = false;
  for (const std::uint32_t index : plan.CommandsOf(added.task)) {
    const CommandRecord& other = plan.commands[index];
    if (other.id == added.id) continue;
    if (other.seq > added.seq) outdated = true;
    const bool not_started =
        other.state == CommandState::kWaitingInputs || other.state == CommandState::kReady;
    if (other.seq < added.seq && not_started) {
      step.Emit(plan, CommandEnded{other.id, EndState::kSuperseded, ErrorCode::kCancelled,
                                   fmt::format("superseded by {}", added.id.str())});
    }
  }
  if (outdated) {
    step.Emit(plan, CommandEnded{added.id, EndState::kSuperseded, ErrorCode::kCancelled,
                                 "a command of a higher command_seq is there already"});
  }
  return outdated;
}

void AskModel(Step& step, PlanState& plan, CommandRecord& record, const Content& request,
              RequestComposer::Composed composed) {
  const Execution& execution = *record.execution;
  step.Emit(plan, ModelCallIntended{record.id, execution.calls + 1, request, composed.reuse_key,
                                    composed.estimate, execution.model_calls + 1, std::move(composed.by_path),
                                    std::move(composed.warnings)});
}

// The answer that this request got before; null: it has to be asked.
const TaskResult* FindAnswered(Step& step, const PlanState& plan, const CommandRecord& record,
                               const Digest& key) {
  const bool first = record.execution->model_calls == 0;
  const bool plain = first && !record.execution->role;
  if (!plain || !step.state().settings.reuse || TaskOf(plan, record) == DagState::kNone) return nullptr;
  const auto found = plan.dag->answered.find(key);
  if (found != plan.dag->answered.end()) return &found->second;
  const bool may_share = step.state().settings.share_results && !plan.dag->tasks[TaskOf(plan, record)].anew;
  return may_share ? step.state().shared.Find(key) : nullptr;
}

// By value: what is known may be replaced while it is used.
void UseAnswered(Step& step, PlanState& plan, CommandRecord& record, TaskResult known) {
  CommandSucceeded succeeded;
  succeeded.command_id = record.id;
  succeeded.result = known.result;
  succeeded.score = known.score;
  succeeded.score_explanation = known.explanation;
  succeeded.outputs = known.outputs;
  succeeded.reused = true;
  succeeded.reuse_key = known.key;
  step.Touch(record.agent);
  step.Emit(plan, std::move(succeeded));
  OnTaskExecuted(step, plan, record, nullptr);
}

void StartTools(Step& step, PlanState& plan, CommandRecord& record, std::vector<ToolRequest> requests) {
  if (record.execution->tool_rounds >= step.state().settings.max_tool_rounds) {
    FailAttempt(step, plan, record,
                {ErrorCode::kModelOutputInvalid, "the model asked for tools in too many rounds", false, {}},
                EndState::kFailed);
    return;
  }
  for (ToolRequest& request : requests) {
    const std::uint32_t call = record.execution->calls + 1;
    const Content arguments = step.Store(plan, std::move(request.arguments));
    step.Emit(plan,
              ToolCallIntended{record.id, call, request.name, arguments, request.idempotent, request.id});
    if (request.refusal.empty()) continue;
    const Content refusal = step.Store(plan, request.refusal);
    step.Emit(plan,
              ToolCallFinished{record.id, call, refusal, ErrorCode::kPermissionDenied, request.refusal});
  }
  if (record.execution->open.empty()) ContinueConversation(step, plan, record);
}

// Carries out the commands of an answer; true: its result is used now.
bool Think(Step& step, PlanState& plan, CommandRecord& record, AnswerFacts& answer) {
  ThoughtOutcome thought = CarryOut(step, plan, record, answer);
  answer.errors = std::move(thought.errors);
  if (thought.use_result || record.state != CommandState::kRunning) return thought.use_result;
  if (record.execution->thinking_rounds >= step.state().settings.max_tool_rounds) {
    FailAttempt(step, plan, record,
                {ErrorCode::kModelOutputInvalid, "the model issued commands in too many rounds", false, {}},
                EndState::kFailed);
  } else {
    ContinueConversation(step, plan, record);
  }
  return false;
}

void UseAnswer(Step& step, PlanState& plan, CommandRecord& record, std::uint32_t call, AnswerFacts answer) {
  if (!answer.command_errors.empty()) AuditBadForm(step, plan, record, answer);
  const bool thinks = answer.errors.empty() && !answer.commands.empty();
  if (thinks && !Think(step, plan, record, answer)) return;
  if (!answer.errors.empty()) {
    RefuseAnswer(step, plan, record, call, std::move(answer.errors));
    return;
  }
  if (answer.rejected) {
    RejectWork(step, plan, record, *answer.rejected);
    return;
  }
  if (answer.stage && plan.goal) {
    StageUse use = UseStageAnswer(step, plan, record, answer);
    if (use.next == StageUse::Next::kFails) {
      FailAttempt(step, plan, record, {use.code, std::move(use.message), false, {}}, EndState::kFailed);
    }
    if (use.next != StageUse::Next::kGoesOn) return;
  }
  if (!answer.tools.empty()) {
    StartTools(step, plan, record, std::move(answer.tools));
    return;
  }
  if (!UseRoleAnswer(step, plan, record, call, answer)) Succeed(step, plan, record, std::move(answer));
}

void StartAttempt(Step& step, PlanState& plan, CommandRecord& record) {
  const std::uint32_t attempt = record.execution->attempt + 1;
  step.Emit(plan, AttemptStarted{record.id, attempt, step.now() + AttemptTimeout(record)});
  if (step.state().agents[record.agent].settings.external) return;
  const std::vector<OpenCall> redo = record.execution->redo;
  for (const OpenCall& lost : redo) {
    step.Emit(plan, ToolCallIntended{record.id, record.execution->calls + 1, lost.tool, lost.subject,
                                     lost.idempotent, lost.provider_call});
  }
  const bool goes_on = !record.execution->news.empty();  // with what a person has answered
  if (!redo.empty() || (!goes_on && ResumeRole(step, plan, record))) return;
  ContinueConversation(step, plan, record);
}

// The command's open call; null when the outcome comes too late or twice.
const OpenCall* FindOpenCall(PlanState* plan, const CommandId& command, std::uint32_t call) {
  CommandRecord* record = plan == nullptr ? nullptr : plan->Find(command);
  if (record == nullptr || record->state != CommandState::kRunning) return nullptr;
  const auto& open = record->execution->open;
  const auto found = std::ranges::find(open, call, &OpenCall::call);
  return found == open.end() ? nullptr : &*found;
}

// The command's texts, apart from its body.
std::string BriefOf(const PlanState& plan, Command& command) {
  if (plan.dag) {
    const TaskIndex task = plan.dag->Find(command.task_id);
    return TaskBrief(plan, task, plan.dag->Node(task), command, {});
  }
  CommandBrief texts;
  texts.prompt = std::exchange(command.prompt, {});
  texts.score_criteria = std::exchange(command.score_criteria, {});
  ByteWriter brief;
  brief.Put(texts);
  return brief.Take();
}

// Whoever sent it: keys count at the receiving agent, so a repeat is known only there.
void AddressToTask(const PlanState& plan, CommandFile& file) {
  const TaskIndex task = plan.dag->Find(file.command.task_id);
  if (task != DagState::kNone) file.agent_id = plan.dag->AgentOf(task);
}

// What the DAG wants to be scored is scored, whatever the command says.
void RequireScore(const TaskNode& node, CommandFile& file) {
  if (!node.score || !node.score->required || file.command.score_required) return;
  file.command.score_required = true;
  file.command.score_criteria =
      node.score->criteria.empty() ? std::string(kDefaultScoreCriteria) : node.score->criteria;
  file.warnings.push_back("the task asks for a score: score_required is true");
}

// A task's command goes to the task's agent, whoever sent it; false: it was refused.
bool RouteToTask(Step& step, PlanState& plan, CommandFile& file) {
  if (!plan.dag) {
    RefuseCommand(
        step, file, ErrorCode::kPlanUnknown,
        fmt::format("{} has no DAG, so it has no task {}", plan.id.str(), file.command.task_id.str()),
        "run the plan first, or leave task_id out");
    return false;
  }
  auto agent = CheckTaskCommand(plan, file.command);
  if (!agent) {
    RefuseCommand(step, file, agent.error().code, agent.error().message, agent.error().hint);
    return false;
  }
  file.agent_id = *std::move(agent);
  RequireScore(plan.dag->Node(plan.dag->Find(file.command.task_id)), file);
  return true;
}

}  // namespace

// Doubles per attempt, minus up to a quarter. The engine has no random numbers: the jitter comes from what
// differs between commands, which is all it is for.
Duration RetryPause(const PlanState& plan, const CommandRecord& record, std::uint32_t failures) {
  const double doubled = static_cast<double>(kFirstBackoff.count()) * std::pow(2.0, std::min(failures, 20U));
  const double capped = std::min(doubled, static_cast<double>(kLongestBackoff.count()));
  const Digest mix = Sha256(fmt::format("{}/{}/{}", plan.id.str(), record.id.str(), failures));
  const double share = static_cast<double>(mix.bytes[0]) / 256.0;
  return Duration(static_cast<std::int64_t>(capped * (1.0 - share / 4.0)));
}

void FailAttempt(Step& step, PlanState& plan, CommandRecord& record, CallFailure failure,
                 EndState end_state) {
  if (SurviveFailure(step, plan, record, failure)) return;
  const std::uint32_t attempt = record.execution->attempt;
  step.Touch(record.agent);
  if (failure.retryable && record.execution->failures < record.retry_times) {
    const Duration pause = std::max(RetryPause(plan, record, record.execution->failures),
                                    failure.retry_after.value_or(Duration{}));
    step.Emit(plan, AttemptFailed{record.id, attempt, failure.code, std::move(failure.message),
                                  step.now() + pause});
    return;
  }
  EndCommand(step, plan, record, end_state, failure.code, std::move(failure.message));
}

void ContinueConversation(Step& step, PlanState& plan, CommandRecord& record) {
  const Execution& execution = *record.execution;
  const bool ask_again =
      !execution.request.empty() && execution.answer.empty() && execution.tool_outputs.empty();
  auto composed = ComposeNext(step, plan, record, execution.model_calls + 1);
  if (!composed) {
    FailAttempt(step, plan, record, {composed.error().code, composed.error().message, false, {}},
                EndState::kFailed);
    return;
  }
  if (const TaskResult* known = FindAnswered(step, plan, record, composed->reuse_key)) {
    UseAnswered(step, plan, record, *known);
    return;
  }
  if (const auto budget = ExceededBudget(step.state(), plan, composed->estimate)) {
    AskForBudget(step, plan, record, *budget, composed->estimate);
    step.Touch(record.agent);
    return;
  }
  const Content request = ask_again ? execution.request : step.Store(plan, std::move(composed->request));
  AskModel(step, plan, record, request, *std::move(composed));
}

void Succeed(Step& step, PlanState& plan, CommandRecord& record, AnswerFacts answer,
             std::optional<FileFingerprint> source) {
  Dispatchable what;
  what.hops = NextHops(record);
  what.score = answer.score;
  what.score_explanation = answer.score_explanation;
  what.result = std::move(answer.result);
  what.result_is_json = answer.result_is_json;
  CommandSucceeded succeeded;
  succeeded.command_id = record.id;
  succeeded.result = step.Store(plan, what.result);
  succeeded.source = std::move(source);
  succeeded.score = answer.score;
  succeeded.score_explanation = std::move(answer.score_explanation);
  if (const TaskIndex task = TaskOf(plan, record); task != DagState::kNone) {
    const auto left = plan.left.find(record.agent);
    const bool has_left = succeeded.source && left != plan.left.end();
    succeeded.outputs =
        NameOutputs(step, plan, plan.dag->Node(task), std::move(answer.outputs),
                    has_left ? left->second : std::map<std::string, Content>(), succeeded.result);
    for (CommandDraft& draft : answer.sent) {
      draft.sent.body = step.Store(plan, std::move(draft.body));
      succeeded.commands.push_back(std::move(draft.sent));
    }
    step.Touch(record.agent);
    step.Emit(plan, std::move(succeeded));
    OnTaskExecuted(step, plan, record, answer.rework ? &*answer.rework : nullptr);
    return;
  }
  for (auto& [name, bytes] : answer.outputs) {
    succeeded.outputs.push_back({name, step.Store(plan, std::move(bytes))});
  }
  // What an external agent left in its outbox goes along; what its result gives itself comes first.
  if (const auto left = plan.left.find(record.agent); succeeded.source && left != plan.left.end()) {
    for (const auto& [name, content] : left->second) {
      if (answer.outputs.contains(name)) continue;
      succeeded.outputs.push_back({name, content});
      answer.outputs.emplace(name, std::string());
    }
  }
  const std::string& declared = record.on_complete ? record.on_complete->output_name : std::string();
  if (!declared.empty() && !answer.outputs.contains(declared)) {
    succeeded.outputs.push_back({declared, succeeded.result});
  }
  what.outputs = succeeded.outputs;
  step.Touch(record.agent);
  const Content result = succeeded.result;
  step.Emit(plan, std::move(succeeded));
  AnswerAsker(step, plan, record, CollaborationStatus::kCompleted, result, what.result_is_json, {});
  RouteResult(step, plan, record, what);
  CompleteIfIdle(step, plan);
}

void RefuseAnswer(Step& step, PlanState& plan, CommandRecord& record, std::uint32_t call,
                  std::vector<std::string> errors) {
  std::string first = errors.front();
  step.Emit(plan, AnswerRefused{record.id, call, std::move(errors)});
  if (record.execution->repairs > step.state().agents[record.agent].settings.repair_attempts) {
    FailAttempt(step, plan, record, {ErrorCode::kModelOutputInvalid, std::move(first), true, {}},
                EndState::kFailed);
    return;
  }
  ContinueConversation(step, plan, record);
}

void OnCommandFile(Step& step, CommandFile file) {
  PlanState& plan = step.state().Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    step.reply = RecallFile(plan, *file.source);
    return;
  }
  const auto agent = step.state().agents.find(file.agent_id);
  if (agent == step.state().agents.end() || agent->second.removed) {
    RefuseCommand(step, file, ErrorCode::kAgentUnknown,
                  fmt::format("there is no agent {}", file.agent_id.str()),
                  "add the agent to agenttalk.yaml, then `agenttalk dead retry` this letter");
    return;
  }
  if (plan.dag) AddressToTask(plan, file);
  if (AnswerKnownCommand(step, plan, file)) return;
  if (plan.dag || plan.goal || file.command.BelongsToDag()) {
    if (!RouteToTask(step, plan, file)) return;
  }
  if (!plan.opened) step.Emit(plan, PlanChanged{PlanChange::kOpened, {}});
  if (plan.completed) step.Emit(plan, PlanChanged{PlanChange::kReopened, {}});

  CommandReceived received;
  received.agent_id = file.agent_id;
  received.body = step.Store(plan, std::move(file.body));
  received.brief = step.Store(plan, BriefOf(plan, file.command));
  received.wait_until = step.now() + file.command.timeout;
  received.command = std::move(file.command);
  received.payload = file.payload;
  received.source = std::move(file.source);
  received.warnings = std::move(file.warnings);
  const CommandId id = received.command.command_id;
  const std::uint64_t event = step.Emit(plan, std::move(received));
  step.reply = {Reply::Status::kAccepted, {}, id, event};
  CommandRecord& record = *plan.Find(id);
  if (SupersedeInTask(step, plan, record)) {
    CompleteIfIdle(step, plan);
    return;
  }
  BindIfComplete(step, plan, record);
}

void BindIfComplete(Step& step, PlanState& plan, const CommandRecord& record) {
  const bool waits = record.wait_for_inputs ? record.unmet_requirements > 0 : IsHeld(plan, record);
  if (!waits) BindInputs(step, plan, record);
}

void FinishForPerson(Step& step, PlanState& plan, CommandRecord& record, std::optional<AnswerFacts> answer) {
  if (answer) {
    Succeed(step, plan, record, *std::move(answer));
  } else if (IsWorkForOther(plan, record)) {
    RejectWork(step, plan, record, "nobody did it");
  } else {
    EndCommand(step, plan, record, EndState::kFailed, ErrorCode::kCancelled, "nobody did it");
  }
}

void Deliver(Step& step, PlanState& plan, InputArrived arrived) {
  step.Emit(plan, std::move(arrived));
  WakeSatisfied(step);
}

void WakeSatisfied(Step& step) {
  const auto satisfied = std::exchange(step.state().satisfied, {});
  for (const auto& [number, index] : satisfied) {
    PlanState& plan = *step.state().ByNumber(number);
    CommandRecord& record = plan.commands[index];
    if (record.state == CommandState::kWaitingInputs) BindInputs(step, plan, record);
  }
}

void OnInputFile(Step& step, InputFile file) {
  PlanState& plan = step.state().Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    step.reply = {Reply::Status::kIgnored, {}, {}, 0};
    return;
  }
  const auto agent = step.state().agents.find(file.agent_id);
  if (agent == step.state().agents.end() || agent->second.removed) {
    OnRejectedFile(step, {file.agent_id,
                          file.plan_id,
                          {},
                          file.name,
                          std::move(file.payload),
                          ErrorCode::kAgentUnknown,
                          fmt::format("there is no agent {}", file.agent_id.str()),
                          "add the agent to agenttalk.yaml",
                          {},
                          std::move(file.source)});
    return;
  }
  InputArrived arrived;
  arrived.agent_id = file.agent_id;
  arrived.name = std::move(file.name);
  const Digest digest = DigestOf(file.payload);
  const auto& files = plan.inboxes[file.agent_id].files;
  if (const auto known = files.find(arrived.name); known != files.end()) {
    // Only other content is a new version; this may be a file of our own that is seen again.
    const InputVersion& version = known->second;
    const bool same = version.content.digest == digest;
    // The very file that was taken in, with other content: a power cut took what its writer had not synced.
    const bool damaged =
        file.source && version.inode == file.source->inode && version.mtime_ns == file.source->mtime_ns;
    if (same || damaged) {
      step.reply = {same ? Reply::Status::kIgnored : Reply::Status::kDamaged, {}, {}, version.event};
      return;
    }
  }
  arrived.content = step.Store(plan, std::move(file.payload));
  arrived.source = std::move(file.source);
  Deliver(step, plan, std::move(arrived));
  if (plan.dag) AdvanceTasks(step, plan);
  step.reply = {Reply::Status::kAccepted, {}, {}, step.state().last_event};
}

void OnRejectedFile(Step& step, RejectedFile file) {
  PlanState& plan = step.state().Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    step.reply = {Reply::Status::kIgnored, {}, {}, 0};
    return;
  }
  DeadLettered letter;
  letter.agent_id = std::move(file.agent_id);
  letter.command_id = std::move(file.command_id);
  letter.file = std::move(file.file);
  if (file.body) letter.body = step.Store(plan, std::move(*file.body));
  letter.code = file.code;
  letter.message = file.message;
  letter.hint = file.hint;
  letter.source = std::move(file.source);
  letter.errors = std::move(file.errors);
  const std::string text = fmt::format("{}: {} ({})", letter.file, letter.message, ToString(letter.code));
  const std::uint64_t event = step.Emit(plan, std::move(letter));
  step.reply = {Reply::Status::kRefused, Error{file.code, file.message, file.hint}, file.command_id, event};
  Alert(step, plan, nullptr, text);
}

void OnModelCallDone(Step& step, ModelCallDone done) {
  PlanState* plan = step.state().FindPlan(done.plan_id);
  const OpenCall* open = FindOpenCall(plan, done.command_id, done.call);
  if (open == nullptr || open->model_call == 0) return;
  step.cause = open->event;
  CommandRecord& record = *plan->Find(done.command_id);
  ModelCallFinished finished;
  finished.command_id = done.command_id;
  finished.call = done.call;
  finished.cost = done.cost;
  finished.script_entry = done.script_entry;
  if (done.failure) {
    finished.error = done.failure->code;
    finished.message = done.failure->message;
  } else {
    finished.answer = step.Store(*plan, std::move(done.text));
  }
  const std::uint64_t event = step.Emit(*plan, std::move(finished));
  step.reply = {Reply::Status::kAccepted, {}, done.command_id, event};
  if (done.failure) {
    const bool late = done.failure->code == ErrorCode::kAttemptTimeout;
    FailAttempt(step, *plan, record, std::move(*done.failure),
                late ? EndState::kTimedOut : EndState::kFailed);
    return;
  }
  UseAnswer(step, *plan, record, done.call, std::move(done.answer));
}

void OnToolCallDone(Step& step, ToolCallDone done) {
  PlanState* plan = step.state().FindPlan(done.plan_id);
  const OpenCall* open = FindOpenCall(plan, done.command_id, done.call);
  if (open == nullptr || open->model_call != 0) return;
  step.cause = open->event;
  CommandRecord& record = *plan->Find(done.command_id);
  if (done.error == ErrorCode::kOutcomeUnknown && !open->idempotent) {
    AskForOutcome(step, *plan, record, *open);
    step.Touch(record.agent);
    return;
  }
  const Content result = step.Store(*plan, std::move(done.result));
  const std::uint64_t event =
      step.Emit(*plan, ToolCallFinished{record.id, done.call, result, done.error, std::move(done.message)});
  step.reply = {Reply::Status::kAccepted, {}, record.id, event};
  if (!record.execution->open.empty() || UseRoleTool(step, *plan, record)) return;
  ContinueConversation(step, *plan, record);
}

void OnExternalResult(Step& step, ExternalResult result) {
  PlanState& plan = step.state().Plan(result.plan_id);
  if (result.source && plan.HasTaken(*result.source)) return;
  CommandRecord* record = plan.Find(result.command_id);
  const bool open =
      record != nullptr && record->state == CommandState::kRunning && record->agent == result.agent_id;
  if (!open || !result.answer.errors.empty()) {
    std::string message =
        open ? fmt::format("the result does not meet its contract: {}", result.answer.errors.front())
             : fmt::format("no open command of {} waits for this result", result.agent_id.str());
    OnRejectedFile(step,
                   {result.agent_id, result.plan_id, result.command_id,
                    fmt::format("result_{}.json", result.command_id.str()), Payload(std::move(result.body)),
                    open ? ErrorCode::kModelOutputInvalid : ErrorCode::kStateConflict, std::move(message),
                    open ? "write the mended file again"
                         : "the folder's name is the plan's id; see `agenttalk status` for open commands",
                    result.answer.errors, std::move(result.source)});
    return;
  }
  if (result.answer.rejected) {
    step.Emit(plan, OutputFound{result.agent_id, fmt::format("result_{}.json", record->id.str()),
                                step.Store(plan, std::move(result.body)), std::move(result.source)});
    RejectWork(step, plan, *record, *result.answer.rejected);
  } else {
    Succeed(step, plan, *record, std::move(result.answer), std::move(result.source));
  }
  step.reply = {Reply::Status::kAccepted, {}, result.command_id, step.state().last_event};
}

void OnOutputFile(Step& step, OutputFile file) {
  PlanState& plan = step.state().Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    step.reply = RecallFile(plan, *file.source);
    return;
  }
  const bool awaited = std::ranges::any_of(plan.commands, [&](const CommandRecord& record) {
    return record.agent == file.agent_id && record.state == CommandState::kRunning;
  });
  if (!awaited) {
    OnRejectedFile(step,
                   {file.agent_id,
                    file.plan_id,
                    {},
                    std::move(file.name),
                    std::move(file.payload),
                    ErrorCode::kStateConflict,
                    fmt::format("{} runs no command that this could be an output of", file.agent_id.str()),
                    "write outputs into the plan's folder, before the result",
                    {},
                    std::move(file.source)});
    return;
  }
  const Content content = step.Store(plan, std::move(file.payload));
  const std::uint64_t event =
      step.Emit(plan, OutputFound{file.agent_id, std::move(file.name), content, std::move(file.source)});
  step.reply = {Reply::Status::kAccepted, {}, {}, event};
}

void OnCommandDue(Step& step, PlanState& plan, CommandRecord& record) {
  if (record.due == Timestamp{} || record.due > step.now()) return;
  switch (record.state) {
    case CommandState::kWaitingInputs:
      if (plan.paused) return;
      EndCommand(step, plan, record, EndState::kTimedOut, ErrorCode::kWaitTimeout,
                 fmt::format("inputs did not arrive within {}", ToText(record.timeout)));
      return;
    case CommandState::kRetryWait:
      if (plan.paused) return;
      step.Emit(plan, CommandRequeued{record.id});
      step.Touch(record.agent);
      return;
    case CommandState::kRunning: {
      const auto& open = record.execution->open;
      const auto unsafe = std::ranges::find_if(open, [](const OpenCall& call) { return !call.idempotent; });
      step.Touch(record.agent);
      if (unsafe != open.end()) {
        AskForOutcome(step, plan, record, *unsafe);
        return;
      }
      FailAttempt(step, plan, record, {ErrorCode::kAttemptTimeout, "the attempt took too long", true, {}},
                  EndState::kTimedOut);
      return;
    }
    case CommandState::kWaitingCollaboration:
      OnCollaborationDue(step, plan, record);
      return;
    default:
      return;
  }
}

void EndCommand(Step& step, PlanState& plan, CommandRecord& record, EndState state, ErrorCode code,
                std::string message) {
  Dispatchable what;
  what.hops = NextHops(record);
  what.error = message;
  step.Touch(record.agent);
  ReportFailure(step, plan, record, message);
  step.Emit(plan, CommandEnded{record.id, state, code, message});
  // Whoever asked for it is told, and decides what it means; nobody else needs to know.
  const bool told = AnswerAsker(step, plan, record, CollaborationStatus::kError, {}, false, message);
  if (!told && (state == EndState::kFailed || state == EndState::kTimedOut)) {
    RouteFailure(step, plan, record, what);
    DeadLettered letter;
    letter.agent_id = record.agent;
    letter.command_id = record.id;
    letter.file = fmt::format("{}.json", record.id.str());
    letter.body = record.body;
    letter.code = code;
    letter.message = message;
    letter.hint = "mend the cause, then `agenttalk dead retry` this letter";
    step.Emit(plan, std::move(letter));
    if (IsStageCall(plan, record)) {
      OnStageFailed(step, plan, record, fmt::format("{} ({})", message, ToString(code)));
    } else {
      Alert(step, plan, &record,
            fmt::format("{} of {} ended: {} ({})", record.id.str(), record.agent.str(), message,
                        ToString(code)));
    }
    if (plan.dag) OnTaskCommandEnded(step, plan, record, code, message);
  }
  CompleteIfIdle(step, plan);
}

void CompleteIfIdle(Step& step, PlanState& plan) {
  if (plan.live_commands > 0 || !plan.opened || plan.completed) return;
  if (plan.dag && !plan.dag->IsIdle()) return;
  if (plan.dag && plan.paused && plan.dag->HasReady()) return;
  if (plan.goal && !MayEnd(step, plan)) return;
  SettleSpending(step, plan);
  OnPlanFinished(step, plan);
  std::string failure = plan.goal ? plan.goal->failure : std::string();
  if (failure.empty() && plan.dag) failure = FailureOf(*plan.dag);
  step.Emit(plan, PlanChanged{PlanChange::kCompleted, std::move(failure)});
}

void Dispatch(Step& step, const AgentId& agent) {
  const auto found = step.state().agents.find(agent);
  if (found == step.state().agents.end() || found->second.removed) return;
  AgentState& state = found->second;
  while (state.running < state.settings.max_parallel && !state.ready.empty()) {
    const AgentState::Ready next = *state.ready.begin();
    PlanState& plan = *step.state().ByNumber(next.plan);
    StartAttempt(step, plan, plan.commands[next.command]);
  }
}

}  // namespace agenttalk
