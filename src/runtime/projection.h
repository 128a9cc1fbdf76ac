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
  Projection(Core& core, Journal& journal, Mirror& mirror, const Clock& clock);

  void Durable(const Event& event) override;
  // After a start: writes again what the last run may not have got to disk. Strangers' files must not be
  // looked for before that, or a torn file of our own would be taken for one of theirs.
  Result<void> CatchUp();
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
  void Publish(const std::string& path, const Content& content);

  void WritePlans();
  void Sync();

  Core& core_;
  Journal& journal_;
  Mirror& mirror_;
  const Clock& clock_;
  Overwrite overwrite_ = Overwrite::kOwnOnly;
  std::set<PlanId> dirty_;  // plans whose status file is behind
  Timestamp plans_written_;
  Timestamp synced_at_;
  std::uint64_t shown_ = 0;  // the last event that was handed to the mirror
  std::vector<std::string> problems_;
};

}  // namespace agenttalk
