#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "model/content.h"
#include "model/event.h"
#include "model/hub_config.h"
#include "runtime/clock.h"
#include "runtime/core.h"

namespace agenttalk {

// The files that people see, made from the events and nothing else: what agents sent and got, questions, dead
// letters, logs, the state of each plan. Any of them can be made again from the journal.
class Projection final : public EventObserver {
 public:
  Projection(Core& core, Journal& journal, FileSystem& files, Mirror& mirror, const Clock& clock);

  void Durable(const Event& event) override;
  // After a start: writes again what the last run may not have got to disk.
  Result<void> CatchUp();
  // False: files of our own may still look like a stranger's, so inboxes must not be looked into. Tries to
  // mend that; a disk that cannot be read just now is tried again.
  bool IsCaughtUp();
  // Writes one input of an agent again, whatever is there.
  void Restore(const AgentId& agent, const PlanId& plan, const std::string& name);
  // Writes what has gathered, and now and then makes it durable.
  void Flush();
  // Everything is written and durable, and the journal knows it: for a clean stop.
  void Settle();

  [[nodiscard]] bool Idle() const { return mirror_.idle() && dirty_.empty(); }
  // When there will be something to do by itself.
  [[nodiscard]] std::optional<Timestamp> NextDue() const;
  std::vector<std::string> TakeProblems();

 private:
  void Show(const Event& event);
  void ShowInput(const Event& event, const InputArrived& arrived);
  void ShowMessage(const Event& event, const MessageSent& sent);
  void ShowQuestion(const Event& event, const QuestionAsked& asked);
  void ShowLetter(const Event& event, const DeadLettered& letter);
  void ShowExternal(const Event& event, const CommandId& command, bool open);
  void ShowPlan(const PlanId& plan);
  void Log(const Event& event);
  void Publish(const std::string& path, const Content& content, Overwrite overwrite);
  // A file of ours that looks like a stranger's after a power cut: torn, or of an older version.
  Result<void> Mend(const std::string& path);
  Result<bool> IsOurs(const std::string& path, const PlanId& plan, const AgentId& agent,
                      const std::string& name, const std::string& wanted);

  void WritePlans();
  void Sync();

  Core& core_;
  Journal& journal_;
  FileSystem& files_;
  Mirror& mirror_;
  const Clock& clock_;
  bool catching_up_ = false;
  bool flushed_once_ = false;
  std::vector<std::string> to_mend_;
  std::set<PlanId> dirty_;  // plans whose status file is behind
  Timestamp plans_written_;
  Timestamp synced_at_;
  std::uint64_t shown_ = 0;  // the last event that was handed to the mirror
  std::vector<std::string> problems_;
};

}  // namespace agenttalk
