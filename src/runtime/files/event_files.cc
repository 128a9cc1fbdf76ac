#include "runtime/files/event_files.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/time.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "mailbox/place.h"
#include "model/command/external_names.h"
#include "model/command/sent_command.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/core/record_name.h"
#include "runtime/files/agent_logs.h"
#include "runtime/files/file_sink.h"
#include "runtime/files/human_answer.h"
#include "runtime/files/task_files.h"
#include "runtime/history/command_record.h"
#include "runtime/history/ended_command.h"
#include "runtime/history/log_line.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// An agent's logs are set aside at this size; what a plan delivered stays in one file.
constexpr std::uint64_t kRotateAt = std::uint64_t{16} << 20;
constexpr std::uint64_t kNeverRotate = 0;

std::string QuestionPath(std::uint64_t question) {
  return fmt::format("human/inbox/{}.json", QuestionName(question));
}

std::string QuestionText(const Event& event, const QuestionAsked& asked) {
  json::object leads_to;
  for (const QuestionChoice& choice : asked.choices) leads_to[choice.word] = choice.leads_to;
  json::array files;
  for (const NamedContent& file : asked.files) files.emplace_back(QuestionFilePath(event.number, file.name));
  const bool waits = asked.deadline == Timestamp{};
  return PrettyJson(
      json::object{{"id", QuestionName(event.number)},
                   {"plan_id", event.plan_id.str()},
                   {"task_id", asked.task_id.str()},
                   {"command_id", asked.command_id.str()},
                   {"kind", EnumName(asked.kind)},
                   {"text", asked.text},
                   {"files", std::move(files)},
                   {"leads_to", std::move(leads_to)},
                   {"from", asked.from.str()},
                   {"asked_at", ToRfc3339(event.time)},
                   {"deadline", waits ? json::value() : json::value(ToRfc3339(asked.deadline))}});
}

void ShowQuestion(const Event& event, const QuestionAsked& asked, FileSink& sink) {
  sink.PublishText(QuestionPath(event.number), QuestionText(event, asked));
  for (const NamedContent& file : asked.files) {
    sink.Publish(QuestionFilePath(event.number, file.name), file.content, Overwrite::kAlways);
  }
}

// What an agent wants a person to know; nobody has to answer it.
std::string NoticeText(const Event& event, const StageFinished& finished) {
  return PrettyJson(json::object{{"plan_id", event.plan_id.str()},
                                 {"task_id", finished.task_id.str()},
                                 {"command_id", finished.command_id.str()},
                                 {"from", EnumName(finished.stage)},
                                 {"text", finished.user_message},
                                 {"at", ToRfc3339(event.time)}});
}

struct Delivery {
  std::uint64_t number = 0;
  Timestamp time;
  AgentId from;
  AgentId to;
  NamedContent file;
  CommandId command;
  std::uint32_t hops = 0;

  std::string operator()() const {
    return CompactJson(
        json::object{{"seq", number},
                     {"time", ToRfc3339(time)},
                     {"from", from.empty() ? json::value(nullptr) : json::value(from.str())},
                     {"to", to.str()},
                     {"name", file.name},
                     {"sha256", file.content.digest.Hex()},
                     {"size", file.content.size},
                     {"command_id", command.empty() ? json::value(nullptr) : json::value(command.str())},
                     {"hops", hops}});
  }
};

}  // namespace

std::string EventFiles::InboxPath(const AgentId& agent, const PlanId& plan, const std::string& name) {
  return JoinPath(Place{.box = Box::kInbox, .agent = agent, .plan = plan}.Path(), name);
}

std::string EventFiles::InputFolder(const PlanId& plan, const CommandId& command) {
  constexpr std::string_view kBegin = "workspace/";
  constexpr std::string_view kEnd = "/inputs/";
  std::string folder;
  folder.reserve(kBegin.size() + plan.str().size() + 1 + command.str().size() + kEnd.size());
  folder.append(kBegin).append(plan.str()).append("/").append(command.str()).append(kEnd);
  return folder;
}

std::string EventFiles::StatusPath(const PlanId& plan) {
  return fmt::format("plans/{}/plan_status.json", plan.str());
}

void EventFiles::Show(const std::shared_ptr<const Event>& shared, FileSink& sink) {
  ShowFiles(*shared, sink);
  ShowTraces(shared, sink);
}

void EventFiles::ShowTraces(const std::shared_ptr<const Event>& shared, FileSink& sink) const {
  const Event& event = *shared;
  Log(shared, sink);
  if (const auto* succeeded = std::get_if<CommandSucceeded>(&event.body)) {
    ShowOutputs(event, *succeeded, sink);
    ShowEnd(shared, succeeded->command_id, sink);
  } else if (const auto* ended = std::get_if<CommandEnded>(&event.body)) {
    ShowEnd(shared, ended->command_id, sink);
  }
  LogDelivery(event, sink);
}

void EventFiles::ShowFiles(const Event& event, FileSink& sink) {
  if (const auto* arrived = std::get_if<InputArrived>(&event.body)) {
    ShowInput(event, *arrived, sink);
  } else if (const auto* sent = std::get_if<MessageSent>(&event.body)) {
    ShowMessage(event, *sent, sink);
    ShowToPerson(event, *sent, sink);
  } else if (const auto* asked = std::get_if<QuestionAsked>(&event.body)) {
    ShowQuestion(event, *asked, sink);
  } else if (const auto* answered = std::get_if<QuestionClosed>(&event.body)) {
    sink.Remove(QuestionPath(answered->question));
    for (const std::string& file : answered->files) {
      sink.Remove(QuestionFilePath(answered->question, file));
    }
  } else if (const auto* finished = std::get_if<StageFinished>(&event.body)) {
    if (finished->user_message.empty()) return;
    sink.PublishText(fmt::format("human/inbox/{}/notice_{}.json", event.plan_id.str(), event.number),
                     NoticeText(event, *finished));
  } else if (const auto* letter = std::get_if<DeadLettered>(&event.body)) {
    ShowLetter(event, *letter, sink);
    ShowRefusal(event, *letter, sink);
  } else if (const auto* closed = std::get_if<DeadLetterClosed>(&event.body)) {
    CloseLetter(closed->letter, sink);
  } else if (const auto* intended = std::get_if<ModelCallIntended>(&event.body)) {
    ShowWorkspace(event, *intended, sink);
  } else if (const auto* started = std::get_if<AttemptStarted>(&event.body)) {
    ShowExternal(event, started->command_id, sink);
  } else if (const auto* succeeded = std::get_if<CommandSucceeded>(&event.body)) {
    ShowExternal(event, succeeded->command_id, sink);
    ShowSentCommands(event, *succeeded, sink);
  } else if (const auto* ended = std::get_if<CommandEnded>(&event.body)) {
    ShowExternal(event, ended->command_id, sink);
  } else if (const auto* failed = std::get_if<AttemptFailed>(&event.body)) {
    ShowExternal(event, failed->command_id, sink);
  } else if (const auto* removed = std::get_if<PlanRemoved>(&event.body)) {
    RemovePlan(removed->plan_id, sink);
  } else if (const auto* imported = std::get_if<PlanImported>(&event.body)) {
    ShowImported(event, *imported, sink);
  } else {
    if (const auto* received = std::get_if<CommandReceived>(&event.body)) ShowSent(event, *received, sink);
    ShowTaskFiles(event, sink);
  }
}

void EventFiles::RemovePlan(const PlanId& plan, FileSink& sink) const {
  sink.LogsArePartial();
  rows_->Forget();  // one that is imported may have rows of the same numbers
  // A plan of that id may be there again by now; its files are not those.
  const auto stream = journal_.FindStream(plan);
  const bool is_there_again = core_.FindLoaded(plan) != nullptr || !stream || *stream;
  std::vector<std::string> folders = {"plans", "dead_letter", "human/inbox"};
  for (const auto& [agent, state] : core_.state().agents) {
    for (const char* box : {"inbox", "inbox/.processed", "outbox", "workspace", "logs"}) {
      folders.push_back(fmt::format("agents/{}/{}", agent.str(), box));
    }
  }
  for (const std::string& folder : folders) {
    const std::string path = JoinPath(folder, plan.str());
    is_there_again ? sink.ForgetFolder(path) : sink.RemoveFolder(path);
  }
}

const CommandRecord* EventFiles::FindRecord(const PlanId& plan, const CommandId& command) const {
  const PlanState* state = core_.FindLoaded(plan);
  return state == nullptr ? nullptr : state->Find(command);
}

void EventFiles::ShowWorkspace(const Event& event, const ModelCallIntended& call, FileSink& sink) const {
  const CommandRecord* record = FindRecord(event.plan_id, call.command_id);
  if (record == nullptr) return;
  for (const NamedContent& input : call.by_path) {
    sink.Publish(fmt::format("agents/{}/{}{}", record->agent.str(), InputFolder(event.plan_id, record->id),
                             input.name),
                 input.content, Overwrite::kAlways);
  }
}

void EventFiles::ShowSentCommands(const Event& event, const CommandSucceeded& done, FileSink& sink) const {
  const CommandRecord* record = done.commands.empty() ? nullptr : FindRecord(event.plan_id, done.command_id);
  if (record == nullptr) return;
  const Place box{.box = Box::kOutbox, .agent = record->agent, .plan = event.plan_id};
  const std::string outbox = IsExternal(record->agent) ? ProcessedFolder(box, event.plan_id) : box.Path();
  for (const SentCommand& sent : done.commands) {
    sink.Publish(JoinPath(outbox, sent.file), sent.body, Overwrite::kAlways);
  }
}

void EventFiles::ShowMessage(const Event& event, const MessageSent& sent, FileSink& sink) const {
  const Place box{.box = Box::kOutbox, .agent = sent.from, .plan = event.plan_id};
  // What lies in an external agent's outbox is its own, and is taken in.
  const std::string outbox = IsExternal(sent.from) ? ProcessedFolder(box, event.plan_id) : box.Path();
  sink.Publish(fmt::format("{}/{}.to_{}.json", outbox, sent.message_id, sent.to.str()), sent.message,
               Overwrite::kAlways);
  for (const NamedContent& output : sent.outputs)
    sink.Publish(JoinPath(outbox, output.name), output.content, Overwrite::kAlways);
}

void EventFiles::ShowToPerson(const Event& event, const MessageSent& sent, FileSink& sink) const {
  if (sent.to.str() != kHuman) return;
  const std::string desk = fmt::format("human/inbox/{}", event.plan_id.str());
  sink.Publish(fmt::format("{}/{}.json", desk, sent.message_id), sent.message, Overwrite::kAlways);
  for (const NamedContent& output : sent.outputs)
    sink.Publish(JoinPath(desk, output.name), output.content, Overwrite::kAlways);
}

void EventFiles::ShowLetter(const Event& event, const DeadLettered& letter, FileSink& sink) {
  // The refused file itself was moved there when it was taken in.
  if (letter.source) return;
  // With its number: a file of the same name may have been refused before, or moved there.
  const std::string name = WithSuffix(letter.file, fmt::to_string(event.number));
  const std::string path = JoinPath(DeadLetterFolder(event.plan_id), name);
  if (!letter.body.empty()) sink.Publish(path, letter.body, Overwrite::kAlways);
  sink.PublishText(path + ".reason.json", PrettyJson(json::object{{"id", LetterName(event.number)},
                                                                  {"code", ToString(letter.code)},
                                                                  {"message", letter.message},
                                                                  {"hint", letter.hint},
                                                                  {"from", letter.agent_id.str()},
                                                                  {"at", ToRfc3339(event.time)}}));
  letters_[event.number] = path;
}

void EventFiles::CloseLetter(std::uint64_t letter, FileSink& sink) {
  const auto found = letters_.find(letter);
  if (found == letters_.end()) return;
  sink.Forget(found->second);
  sink.Forget(found->second + ".reason.json");
  letters_.erase(found);
}

// A command that its sender corrected is not refused any more.
void EventFiles::ShowSent(const Event& event, const CommandReceived& received, FileSink& sink) const {
  const auto from = received.source ? Place::FromPath(received.source->directory) : std::nullopt;
  if (!from || from->box != Box::kOutbox) return;
  const CommandId about(received.source->name.substr(0, received.source->name.rfind('.')));
  sink.Remove(InboxPath(from->agent, event.plan_id, RefusalName(about)));
}

void EventFiles::ShowExternal(const Event& event, const CommandId& command, FileSink& sink) const {
  if (!IsForExternal(event.plan_id, command)) return;
  const PlanState* plan = core_.FindLoaded(event.plan_id);
  const CommandRecord* record = plan->Find(command);
  sink.Remove(InboxPath(record->agent, event.plan_id, RefusalName(command)));
  ShowDelivery(*plan, *record, sink);
}

void EventFiles::ShowDelivery(const PlanState& plan, const CommandRecord& record, FileSink& sink) const {
  if (!IsExternal(record.agent)) return;
  const std::string path = InboxPath(record.agent, plan.id, DeliveryName(record.id));
  const Content& content = record.delivered ? *record.delivered : record.body;
  // Only open commands are ever delivered, however often this is told.
  if (record.state == CommandState::kRunning) {
    sink.Publish(path, content, Overwrite::kAlways);
  } else {
    sink.Retract(path, content);
  }
}

void EventFiles::ShowRefusal(const Event& event, const DeadLettered& letter, FileSink& sink) const {
  const bool is_result = !letter.command_id.empty() && letter.file == ResultName(letter.command_id);
  const auto from = letter.source ? Place::FromPath(letter.source->directory) : std::nullopt;
  const bool is_sent = IsCommandName(letter.file) && from && from->box == Box::kOutbox;
  if (!(is_result || is_sent) || !IsExternal(letter.agent_id)) return;
  const CommandRecord* record = is_result ? FindRecord(event.plan_id, letter.command_id) : nullptr;
  const bool open =
      record != nullptr && record->agent == letter.agent_id && record->state == CommandState::kRunning;
  if (is_result && !open) return;
  const std::string about = letter.file.substr(0, letter.file.rfind('.'));
  const CommandId subject = is_result ? letter.command_id : CommandId(about);
  json::array errors;
  for (const std::string& error : letter.errors) errors.emplace_back(error);
  sink.PublishText(InboxPath(letter.agent_id, event.plan_id, RefusalName(subject)),
                   PrettyJson(json::object{{"command_id", subject.str()},
                                           {"refused", letter.file},
                                           {"code", ToString(letter.code)},
                                           {"message", letter.message},
                                           {"errors", std::move(errors)},
                                           {"hint", letter.hint},
                                           {"at", ToRfc3339(event.time)}}));
}

void EventFiles::ShowOutputs(const Event& event, const CommandSucceeded& done, FileSink& sink) const {
  const bool none = done.outputs.empty() && done.beside.empty();
  const CommandRecord* record = none ? nullptr : FindRecord(event.plan_id, done.command_id);
  // An external agent has put its outputs there itself.
  if (record == nullptr || !HasFolder(record->agent) || IsExternal(record->agent)) return;
  const std::string outbox = Place{.box = Box::kOutbox, .agent = record->agent, .plan = event.plan_id}.Path();
  for (const auto* files : {&done.outputs, &done.beside}) {
    for (const NamedContent& output : *files) {
      sink.Publish(JoinPath(outbox, output.name), output.content, Overwrite::kAlways);
    }
  }
}

void EventFiles::ShowEnd(const std::shared_ptr<const Event>& shared, const CommandId& id,
                         FileSink& sink) const {
  const Event& event = *shared;
  const PlanState* plan = core_.FindLoaded(event.plan_id);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(id);
  if (record == nullptr || !HasFolder(record->agent)) return;
  const auto ended =
      std::make_shared<EndedCommand>(rows_, plan->id, record->id, plan->trails.Of(record->index));
  const Place box{.box = Box::kOutbox, .agent = record->agent, .plan = plan->id};
  const std::string outbox = IsExternal(record->agent) ? ProcessedFolder(box, plan->id) : box.Path();
  sink.PublishMade(JoinPath(outbox, RecordName(id)), [ended] { return ended->Record(); });
  sink.PublishMade(fmt::format("agents/{}/logs/{}/{}.md", record->agent.str(), plan->id.str(), id.str()),
                   [ended] { return ended->Transcript(); });
  sink.AppendLine(
      fmt::format("agents/{}/logs/activity.jsonl", record->agent.str()), {event.number, 0},
      [ended, shared] { return ended->MessageLine(*shared); }, kRotateAt);
}

bool EventFiles::HasFolder(const AgentId& agent) const {
  return IsSafeName(agent.str()) && core_.state().agents.contains(agent);
}

void EventFiles::Log(const std::shared_ptr<const Event>& shared, FileSink& sink) const {
  const Event& event = *shared;
  const std::string_view log = AgentLogOf(event.body);
  if (log.empty()) return;
  EventOwner owner = OwnerOf(core_.FindLoaded(event.plan_id), event.body);
  if (!HasFolder(owner.agent)) return;
  std::string path = fmt::format("agents/{}/logs/{}.jsonl", owner.agent.str(), log);
  sink.AppendLine(
      path, {event.number, 0},
      [shared, owner = std::move(owner), rows = rows_] {
        return Redact(CompactJson(LogLineJson(*shared, owner, rows->Loader())));
      },
      kRotateAt);
}

void EventFiles::LogDelivery(const Event& event, FileSink& sink) const {
  if (event.plan_id.empty()) return;
  const std::string path = fmt::format("plans/{}/deliveries.jsonl", event.plan_id.str());
  if (const auto* arrived = std::get_if<InputArrived>(&event.body)) {
    sink.AppendLine(path, {event.number, 0},
                    Delivery{event.number,
                             event.time,
                             arrived->from,
                             arrived->agent_id,
                             {arrived->name, arrived->content},
                             arrived->from_command,
                             arrived->hops},
                    kNeverRotate);
    return;
  }
  // What other agents are sent arrives there, and is told then; a person has no inbox that commands read.
  const auto* sent = std::get_if<MessageSent>(&event.body);
  if (sent == nullptr || sent->to.str() != kHuman) return;
  std::uint32_t part = 0;
  const auto tell = [&](const NamedContent& file) {
    sink.AppendLine(
        path, {event.number, part++},
        Delivery{event.number, event.time, sent->from, sent->to, file, sent->command_id, sent->hops},
        kNeverRotate);
  };
  for (const NamedContent& output : sent->outputs) tell(output);
  tell({sent->message_id + ".json", sent->message});
}

}  // namespace agenttalk
