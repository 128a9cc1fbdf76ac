#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/plan_draft.h"
#include "engine/thinking/registry.h"
#include "engine/turn/turn.h"
#include "model/answer/thinking_command.h"

// A batch of thinking commands: checked whole against a draft of the plan, and then applied whole, as one
// revision, in one step of the engine. If one command is wrong nothing is applied, every error is reported,
// and the refusal is an event.
namespace agenttalk {

inline constexpr std::size_t kLongestInstruction = std::size_t{32} << 10;

struct ThinkingBatch {
  AgentId author;
  // People, and the engine itself, may do everything; an agent what its profile's permissions say.
  bool unrestricted = false;
  const CommandRecord* record = nullptr;  // the running command whose model asks; null: none
  std::vector<ThinkingCommand> commands;
  std::optional<std::uint64_t> expected_revision;  // VERSION_CONFLICT when a plan change finds another one
  std::string reason;
};

// What a batch will do. Handlers look at it, report what is wrong, and add their effect.
class BatchDraft {
 public:
  struct Message {
    AgentId to;
    std::string text;
  };

  BatchDraft(const HubState& hub, const PlanState& plan, const ThinkingBatch& batch);

  [[nodiscard]] const HubState& hub() const { return hub_; }
  [[nodiscard]] const PlanState& plan() const { return plan_; }
  [[nodiscard]] const ThinkingBatch& batch() const { return batch_; }

  // The plan's tasks. Null, and refused, in an open plan.
  PlanDraft* Tasks();
  // Refuses unless the author may do this with a task of `owner`.
  void Claim(const AgentId& owner);
  // Refuses an agent that there is not.
  void CheckAgent(const AgentId& agent, std::string_view argument);
  // Refuses a task id (the argument task_id) that there is not.
  void RefuseUnknownTask(const TaskId& id);
  // Refuses a model's wish to execute a task once more that was executed very often: it would continue for
  // ever.
  void CheckExecutions(const PlanDraft::Task& task);
  // False, and refused: the command makes sense only for an agent at work.
  bool NeedsCommand();
  // Something is wrong with an argument of the command at hand; "": with the command itself.
  void Refuse(ErrorCode code, std::string_view argument, std::string message, std::string hint = {});
  // The JSON Pointer of an argument.
  [[nodiscard]] std::string At(std::string_view argument) const;

  void Send(Message message) { messages_.push_back(std::move(message)); }
  void Ask(std::string question) { question_ = std::move(question); }
  void FinishOwnTask() { finishes_own_task_ = true; }

  [[nodiscard]] const std::optional<std::string>& question() const { return question_; }
  [[nodiscard]] bool finishes_own_task() const { return finishes_own_task_; }

 private:
  friend class BatchApplication;

  const HubState& hub_;
  const PlanState& plan_;
  const ThinkingBatch& batch_;
  std::size_t index_ = 0;  // of the command at hand
  const ThinkingSpec* spec_ = nullptr;
  bool denied_ = false;
  std::optional<PlanDraft> tasks_;
  std::vector<Message> messages_;
  std::optional<std::string> question_;
  bool finishes_own_task_ = false;
  std::vector<Issue> errors_;
};

struct BatchReport {
  std::uint64_t revision = 0;
  bool changed = false;  // the plan is another one now
  bool asked = false;    // the command waits for a person
  bool finishes_own_task = false;
};

std::expected<BatchReport, std::vector<Issue>> ApplyBatch(Turn& turn, const PlanState& plan,
                                                          const ThinkingBatch& batch);

// The refusal as an event, for whoever asks later who wanted what.
void AuditRefusal(Turn& turn, const PlanState& plan, const ThinkingBatch& batch, ErrorCode code,
                  std::vector<std::string> errors);

// The ids, each once.
std::vector<TaskId> UniqueTasks(const std::vector<std::string>& ids);

// Where the working memory of a command's task is kept.
TaskId MemoryTaskOf(const CommandRecord& record);

}  // namespace agenttalk
