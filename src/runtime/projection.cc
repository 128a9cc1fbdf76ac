#include "runtime/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/input.h"
#include "engine/plan_state.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "mailbox/place.h"
#include "model/content.h"
#include "model/event.h"
#include "model/event_codec.h"
#include "runtime/clock.h"
#include "runtime/core.h"
#include "runtime/human_answer.h"
#include "runtime/plan_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// A plan's status is at most this far behind.
constexpr Duration kPlanStatusDelay = std::chrono::milliseconds(250);
// How much may have to be written again after a power cut.
constexpr Duration kSyncInterval = std::chrono::seconds(30);
constexpr std::string_view kHuman = "human";
constexpr std::uint64_t kLargestMended = std::uint64_t{64} << 20;

// What a power cut can make of a file that was not synced: cut short, or with zeros where data was.
bool IsTornForm(std::string_view there, std::string_view wanted) {
  if (there.size() > wanted.size()) return false;
  const auto [differs, expected] = std::ranges::mismatch(there, wanted);
  return std::all_of(differs, there.end(), [](char c) { return c == 0; });
}

std::string InboxPath(const AgentId& agent, const PlanId& plan, std::string_view name) {
  if (plan.empty()) return fmt::format("agents/{}/inbox/{}", agent.str(), name);
  return fmt::format("agents/{}/inbox/{}/{}", agent.str(), plan.str(), name);
}

// Which log of its agent an event belongs to; empty: none.
std::string_view LogOf(const EventBody& body) {
  struct Choice {
    std::string_view operator()(const ModelCallIntended&) const { return "llm_calls"; }
    std::string_view operator()(const ModelCallFinished&) const { return "llm_calls"; }
    std::string_view operator()(const AnswerRefused&) const { return "error"; }
    std::string_view operator()(const AttemptFailed&) const { return "error"; }
    std::string_view operator()(const DeadLettered&) const { return "error"; }
    std::string_view operator()(const CommandEnded&) const { return "error"; }
    std::string_view operator()(const MessageSent&) const { return "decision"; }
    std::string_view operator()(const CommandSucceeded&) const { return "decision"; }
    std::string_view operator()(const CommandReceived&) const { return "activity"; }
    std::string_view operator()(const CommandRepeated&) const { return "activity"; }
    std::string_view operator()(const InputArrived&) const { return "activity"; }
    std::string_view operator()(const AttemptStarted&) const { return "activity"; }
    std::string_view operator()(const ToolCallIntended&) const { return "activity"; }
    std::string_view operator()(const ToolCallFinished&) const { return "activity"; }
    std::string_view operator()(const NodeStarted&) const { return {}; }
    std::string_view operator()(const MirrorSynced&) const { return {}; }
    std::string_view operator()(const HubConfigured&) const { return {}; }
    std::string_view operator()(const AgentConfigured&) const { return {}; }
    std::string_view operator()(const AgentRemoved&) const { return {}; }
    std::string_view operator()(const CommandReadied&) const { return {}; }
    std::string_view operator()(const CommandRequeued&) const { return {}; }
    std::string_view operator()(const DeadLetterClosed&) const { return {}; }
    std::string_view operator()(const QuestionAsked&) const { return {}; }
    std::string_view operator()(const QuestionClosed&) const { return {}; }
    std::string_view operator()(const BudgetRaised&) const { return {}; }
    std::string_view operator()(const PlanChanged&) const { return {}; }
    std::string_view operator()(const ControlAccepted&) const { return {}; }
  };
  return std::visit(Choice{}, body);
}

}  // namespace

Projection::Projection(Core& core, Journal& journal, FileSystem& files, Mirror& mirror, const Clock& clock)
    : core_(core), journal_(journal), files_(files), mirror_(mirror), clock_(clock) {}

void Projection::Publish(const std::string& path, const Content& content, Overwrite overwrite) {
  auto bytes = core_.contents().Load(content);
  if (!bytes) {
    problems_.push_back(fmt::format("{}: {}", path, bytes.error().message));
    return;
  }
  mirror_.Publish(path, **bytes, overwrite);
}

void Projection::Durable(const Event& event) {
  Show(event);
  Log(event);
  shown_ = event.number;
  if (!event.plan_id.empty()) dirty_.insert(event.plan_id);
}

void Projection::Show(const Event& event) {
  if (const auto* arrived = std::get_if<InputArrived>(&event.body)) {
    ShowInput(event, *arrived);
  } else if (const auto* sent = std::get_if<MessageSent>(&event.body)) {
    ShowMessage(event, *sent);
  } else if (const auto* asked = std::get_if<QuestionAsked>(&event.body)) {
    ShowQuestion(event, *asked);
  } else if (const auto* closed = std::get_if<QuestionClosed>(&event.body)) {
    mirror_.Remove(fmt::format("human/inbox/{}.json", QuestionName(closed->question)));
  } else if (const auto* letter = std::get_if<DeadLettered>(&event.body)) {
    ShowLetter(event, *letter);
  } else if (const auto* started = std::get_if<AttemptStarted>(&event.body)) {
    ShowExternal(event, started->command_id, true);
  } else if (const auto* succeeded = std::get_if<CommandSucceeded>(&event.body)) {
    ShowExternal(event, succeeded->command_id, false);
  } else if (const auto* ended = std::get_if<CommandEnded>(&event.body)) {
    ShowExternal(event, ended->command_id, false);
  }
}

void Projection::ShowInput(const Event& event, const InputArrived& arrived) {
  const std::string path = InboxPath(arrived.agent_id, event.plan_id, arrived.name);
  if (!arrived.source) {
    mirror_.Recognize(path, arrived.content.digest);
    Publish(path, arrived.content, Overwrite::kOwnOnly);
    return;
  }
  // A stranger's file lay there when it was taken in, and is newer than what may still wait to be written.
  mirror_.Withdraw(path);
  if (!catching_up_) return;
  // A power cut may have taken it away since.
  mirror_.Recognize(path, arrived.content.digest);
  Publish(path, arrived.content, Overwrite::kOwnOnly);
}

void Projection::Restore(const AgentId& agent, const PlanId& plan, const std::string& name) {
  const PlanState* state = core_.FindLoaded(plan);
  if (state == nullptr) return;
  const auto inbox = state->inboxes.find(agent);
  if (inbox == state->inboxes.end()) return;
  const auto file = inbox->second.files.find(name);
  if (file == inbox->second.files.end()) return;
  Publish(InboxPath(agent, plan, name), file->second.content, Overwrite::kAlways);
}

void Projection::ShowMessage(const Event& event, const MessageSent& sent) {
  const std::string outbox = fmt::format("agents/{}/outbox/{}", sent.from.str(), event.plan_id.str());
  Publish(fmt::format("{}/{}.to_{}.json", outbox, sent.message_id, sent.to.str()), sent.message,
          Overwrite::kAlways);
  for (const NamedContent& output : sent.outputs)
    Publish(fmt::format("{}/{}", outbox, output.name), output.content, Overwrite::kAlways);
  if (sent.to.str() == kHuman)
    Publish(fmt::format("human/inbox/{}.json", sent.message_id), sent.message, Overwrite::kAlways);
}

void Projection::ShowQuestion(const Event& event, const QuestionAsked& asked) {
  json::object question{{"id", QuestionName(event.number)},
                        {"plan_id", event.plan_id.str()},
                        {"command_id", asked.command_id.str()},
                        {"kind", EnumName(asked.kind)},
                        {"text", asked.text},
                        {"from", asked.from.str()},
                        {"asked_at", ToRfc3339(event.time)},
                        {"deadline", ToRfc3339(asked.deadline)}};
  mirror_.Publish(fmt::format("human/inbox/{}.json", QuestionName(event.number)), PrettyJson(question),
                  Overwrite::kAlways);
}

void Projection::ShowLetter(const Event& event, const DeadLettered& letter) {
  // The refused file itself was moved there when it was taken in.
  if (letter.source) return;
  const std::string path = fmt::format("{}/{}", DeadLetterFolder(event.plan_id), letter.file);
  if (!letter.body.empty()) Publish(path, letter.body, Overwrite::kAlways);
  const json::object reason{{"id", LetterName(event.number)}, {"code", ToString(letter.code)},
                            {"message", letter.message},      {"hint", letter.hint},
                            {"from", letter.agent_id.str()},  {"at", ToRfc3339(event.time)}};
  mirror_.Publish(path + ".reason.json", PrettyJson(reason), Overwrite::kAlways);
}

void Projection::ShowExternal(const Event& event, const CommandId& command, bool open) {
  const PlanState* plan = core_.FindLoaded(event.plan_id);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(command);
  if (record == nullptr) return;
  const auto agent = core_.state().agents.find(record->agent);
  if (agent == core_.state().agents.end() || !agent->second.settings.external) return;
  const std::string path = InboxPath(record->agent, event.plan_id, command.str() + ".json");
  // Only open commands are ever delivered, however often this is told.
  if (open && record->state == CommandState::kRunning) {
    Publish(path, record->body, Overwrite::kAlways);
  } else {
    mirror_.Remove(path);
  }
}

void Projection::Log(const Event& event) {
  const std::string_view log = LogOf(event.body);
  if (log.empty()) return;
  const json::object line = EventToJson(event);
  const json::value& agent = line.at("agent_id");
  AgentId id = agent.is_string() ? AgentId(std::string(agent.as_string())) : AgentId();
  if (id.empty()) {
    const PlanState* plan = core_.FindLoaded(event.plan_id);
    const json::value& command = line.at("command_id");
    const CommandRecord* record = plan == nullptr || !command.is_string()
                                      ? nullptr
                                      : plan->Find(CommandId(std::string(command.as_string())));
    if (record != nullptr) id = record->agent;
  }
  if (!IsSafeName(id.str()) || !core_.state().agents.contains(id)) return;
  mirror_.AppendLine(fmt::format("agents/{}/logs/{}.jsonl", id.str(), log), {event.number, 0},
                     json::serialize(line));
}

void Projection::ShowPlan(const PlanId& plan) {
  const PlanState* state = core_.FindLoaded(plan);
  if (state == nullptr) return;
  mirror_.Publish(fmt::format("plans/{}/plan_status.json", plan.str()), PrettyJson(PlanStatusJson(*state)),
                  Overwrite::kAlways);
}

void Projection::WritePlans() {
  const Timestamp now = clock_.Now();
  if (dirty_.empty() || now < plans_written_ + kPlanStatusDelay) return;
  plans_written_ = now;
  for (const PlanId& plan : std::exchange(dirty_, {})) ShowPlan(plan);
}

void Projection::Flush() {
  WritePlans();
  if (!mirror_.idle()) {
    const MirrorReport report = mirror_.Flush();
    for (const MirrorFailure& failure : report.failures) {
      problems_.push_back(fmt::format("{}: {}", failure.path, failure.error.message));
    }
  }
  if (clock_.Now() >= synced_at_ + kSyncInterval && Idle() && shown_ > core_.state().mirrored + 1) Sync();
}

void Projection::Sync() {
  synced_at_ = clock_.Now();
  if (auto synced = mirror_.Sync(); !synced) {
    problems_.push_back(synced.error().message);
    return;
  }
  core_.Post(MirrorProgress{shown_});
}

void Projection::Settle() {
  plans_written_ = {};
  Flush();
  if (Idle() && shown_ > core_.state().mirrored + 1) Sync();
}

Result<void> Projection::CatchUp() {
  catching_up_ = true;
  Result<void> decoded;
  TRY(journal_.ReadAll(core_.state().mirrored, [&](const JournalRowView& row) {
    const PlanId plan{std::string(row.stream)};
    // A plan that finished before the stop is not in memory, and its files need its commands all the same.
    if (auto loaded = core_.LookUp(plan); !loaded) {
      decoded = std::unexpected(std::move(loaded).error());
      return false;
    }
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events,
                           [this](const Event& event) { Durable(event); });
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  catching_up_ = false;
  plans_written_ = {};
  synced_at_ = clock_.Now();
  flushed_once_ = false;
  return {};
}

bool Projection::IsCaughtUp() {
  if (!flushed_once_) {
    WritePlans();
    const MirrorReport report = mirror_.Flush();
    if (!report.failures.empty()) return false;
    to_mend_ = report.blocked;
    flushed_once_ = true;
  }
  while (!to_mend_.empty()) {
    if (auto mended = Mend(to_mend_.back()); !mended) {
      problems_.push_back(mended.error().message);
      return false;
    }
    to_mend_.pop_back();
  }
  // What was mended must lie there before anybody looks: its torn form would be taken for a stranger's file.
  return mirror_.idle() || mirror_.Flush().failures.empty();
}

Result<void> Projection::Mend(const std::string& path) {
  const SplitPath split = SplitAtLast(path);
  const auto place = Place::FromPath(split.directory);
  if (!place) return {};
  const PlanState* plan = TRY(core_.LookUp(place->plan));
  if (plan == nullptr) return {};
  const auto inbox = plan->inboxes.find(place->agent);
  if (inbox == plan->inboxes.end()) return {};
  const auto file = inbox->second.files.find(split.name);
  if (file == inbox->second.files.end()) return {};
  const auto wanted = TRY(core_.contents().Load(file->second.content));
  if (TRY(IsOurs(path, place->plan, place->agent, split.name, *wanted))) {
    mirror_.Publish(path, *wanted, Overwrite::kAlways);
  }
  return {};
}

Result<bool> Projection::IsOurs(const std::string& path, const PlanId& plan, const AgentId& agent,
                                const std::string& name, const std::string& wanted) {
  const WholeFile there = TRY(ReadWhole(files_, path, kLargestMended));
  if (there.report.outcome != ReadOutcome::kComplete) return false;
  if (IsTornForm(there.bytes, wanted)) return true;
  const Digest digest = Sha256(there.bytes);
  bool older = false;
  TRY(journal_.ReadStream(plan, 0, [&](const JournalRowView& row) {
    const auto decoded =
        DecodeEvents(plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
          const auto* arrived = std::get_if<InputArrived>(&event.body);
          older = older || (arrived != nullptr && arrived->agent_id == agent && arrived->name == name &&
                            arrived->content.digest == digest);
        });
    return decoded.has_value() && !older;
  }));
  return older;
}

std::optional<Timestamp> Projection::NextDue() const {
  if (!dirty_.empty()) return plans_written_ + kPlanStatusDelay;
  if (shown_ > core_.state().mirrored + 1) return synced_at_ + kSyncInterval;
  return std::nullopt;
}

std::vector<std::string> Projection::TakeProblems() {
  return std::exchange(problems_, {});
}

}  // namespace agenttalk
