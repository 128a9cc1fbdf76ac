#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "model/command/sent_command.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/files/file_sink.h"
#include "runtime/history/recent_rows.h"

namespace agenttalk {

// Which files an event shows, and in which logs it stands. Depends on the event and the plan's state alone,
// so that telling it everything once more tells how the files ought to look.
class EventFiles {
 public:
  EventFiles(Core& core, Journal& journal)
      : core_(core), journal_(journal), rows_(std::make_shared<RecentRows>(journal)) {}

  // What the makers of files read.
  [[nodiscard]] const std::shared_ptr<RecentRows>& rows() const { return rows_; }

  // Whoever makes a line later keeps the event meanwhile.
  void Show(const std::shared_ptr<const Event>& event, FileSink& sink);
  // Only what cannot wait: what people, external agents and tools are about to read.
  void ShowUrgent(const Event& event, FileSink& sink);
  // What ShowUrgent left out, later: by then there may be newer files, which older ones must not replace.
  void ShowPutOff(const std::shared_ptr<const Event>& event, FileSink& sink);
  // An event that another hub recorded: it reaches no files but those of its plan.
  void ShowForeign(const std::shared_ptr<const Event>& past, FileSink& sink);

  // Whether it has a file that somebody may wait for: a person, an external agent, a tool.
  [[nodiscard]] bool IsUrgent(const Event& event) const;

  // Whether the files that cannot wait depend on more than the event: on its plan.
  [[nodiscard]] bool NeedsPlanAtOnce(const Event& event) const;

  // A command in the inbox of the external agent that is to do it, as long as it is open.
  void ShowDelivery(const PlanState& plan, const CommandRecord& record, FileSink& sink) const;

  static std::string InboxPath(const AgentId& agent, const PlanId& plan, const std::string& name);
  static std::string StatusPath(const PlanId& plan);
  // Where a command finds the inputs that its prompt only names; below its agent's folder.
  static std::string InputFolder(const PlanId& plan, const CommandId& command);

 private:
  void ShowFiles(const Event& event, FileSink& sink);
  void ShowPutOffFiles(const Event& event, FileSink& sink);
  // Its lines in logs, and what is left when a command ends.
  void ShowTraces(const std::shared_ptr<const Event>& event, FileSink& sink) const;
  void ShowInput(const Event& event, const InputArrived& arrived, FileSink& sink) const;
  // As ShowInput, long after it arrived.
  void ShowPastInput(const Event& event, const InputArrived& arrived, FileSink& sink) const;
  // In the outbox of its sender; ShowToPerson: on a person's desk.
  void ShowMessage(const Event& event, const MessageSent& sent, FileSink& sink) const;
  void ShowToPerson(const Event& event, const MessageSent& sent, FileSink& sink) const;
  // The folders of a plan that is not there any more.
  void RemovePlan(const PlanId& plan, FileSink& sink) const;
  // The files of a plan that came from elsewhere, from its own events.
  void ShowImported(const Event& event, const PlanImported& imported, FileSink& sink);
  void ShowLetter(const Event& event, const DeadLettered& letter, FileSink& sink);
  void CloseLetter(std::uint64_t letter, FileSink& sink);
  void ShowExternal(const Event& event, const CommandId& command, FileSink& sink) const;
  void ShowSent(const Event& event, const CommandReceived& received, FileSink& sink) const;
  void ShowRefusal(const Event& event, const DeadLettered& letter, FileSink& sink) const;
  void ShowWorkspace(const Event& event, const ModelCallIntended& call, FileSink& sink) const;
  void ShowSentCommands(const Event& event, const CommandSucceeded& done, FileSink& sink) const;
  // What a command leaves when it has ended: its outputs, its record, its transcript.
  void ShowEnd(const std::shared_ptr<const Event>& event, const CommandId& command, FileSink& sink) const;
  void ShowOutputs(const Event& event, const CommandSucceeded& done, FileSink& sink) const;
  void Log(const std::shared_ptr<const Event>& event, FileSink& sink) const;
  void LogDelivery(const Event& event, FileSink& sink) const;
  [[nodiscard]] bool HasFolder(const AgentId& agent) const;
  [[nodiscard]] bool IsExternal(const AgentId& agent) const;
  // Most hubs have none, and then nobody need look whose command it is.
  [[nodiscard]] bool HasExternalAgents() const;
  [[nodiscard]] bool IsForExternal(const PlanId& plan, const CommandId& command) const;
  // It may still have its tools run.
  [[nodiscard]] bool IsUnderWay(const PlanId& plan, const CommandId& command) const;
  [[nodiscard]] const CommandRecord* FindRecord(const PlanId& plan, const CommandId& command) const;

  Core& core_;
  Journal& journal_;
  const std::shared_ptr<RecentRows> rows_;
  std::unordered_map<std::uint64_t, std::string> letters_;  // the files of dead letters, while they are open
  mutable std::uint64_t team_event_ = 0;  // of the hub's own stream, when `has_external_` was found out
  mutable bool has_external_ = false;
};

}  // namespace agenttalk
