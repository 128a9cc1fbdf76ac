#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/dag/fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/working_memory.h"
#include "engine/thinking/plan_draft.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/thinking_command.h"
#include "model/events/event.h"

namespace agenttalk {

// Plans that are changed by commands, by hand and by models.
class ThinkingTest : public DagTest {
 protected:
  static ThinkingCommand Append(const std::string& id, const std::string& needs,
                                const std::string& agent = "alice") {
    return {"append_task", R"({"assignee":")" + agent + R"(","dependent_task_ids":[)" + needs +
                               R"(],"instruction":"do )" + id + R"(","task_id":")" + id + R"("})"};
  }
  static ThinkingCommand Reset(const std::string& id) {
    return {"reset_task", R"({"task_id":")" + id + R"("})"};
  }
  static ThinkingCommand Replace(const std::string& id, const std::string& needs,
                                 const std::string& agent = "alice") {
    return {"replace_task", R"({"new_assignee":")" + agent + R"(","new_dependent_task_ids":[)" + needs +
                                R"(],"new_instruction":"redo )" + id + R"(","task_id":")" + id + R"("})"};
  }
  static ThinkingCommand Finish(const std::string& result = {}) {
    return {"finish_current_task", result.empty() ? "{}" : R"({"result":")" + result + R"("})"};
  }
  static ThinkingCommand Say(const std::string& to, const std::string& text = "hello") {
    return {"publish_message", R"({"content":")" + text + R"(","send_to":")" + to + R"("})"};
  }
  static ThinkingCommand AskFor(const std::string& question) {
    return {"ask_human", R"({"question":")" + question + R"("})"};
  }

  Names ByHand(std::vector<ThinkingCommand> commands, std::optional<std::uint64_t> revision = {}) {
    return Feed(PlanChangeBatch{PlanId(kPlan), std::move(commands), revision});
  }
  // The model of a task answers with commands, and with a result unless it is empty.
  Names Think(const std::string& task, std::vector<ThinkingCommand> commands,
              const std::string& result = {}) {
    ModelCallDone done = MakeAnswer(CommandOf(task), result, {}, kPlan);
    done.answer.commands = std::move(commands);
    done.answer.commands_only = result.empty();
    return Feed(std::move(done));
  }

  std::vector<std::string> Order() {
    std::vector<std::string> ids;
    for (const TaskIndex task : TopologicalOrder(Dag())) ids.push_back(Dag().IdOf(task).str());
    return ids;
  }
  std::vector<std::string> Finished() {
    std::vector<std::string> ids;
    for (const TaskIndex task : TopologicalOrder(Dag())) {
      if (IsFinished(Dag(), task)) ids.push_back(Dag().IdOf(task).str());
    }
    return ids;
  }
  std::string Current() {
    PlanDraft draft(Plan(kPlan));
    const PlanDraft::Task* current = draft.Current();
    return current == nullptr ? "" : current->node.task_id.str();
  }
  std::vector<ErrorCode> Codes() const {
    std::vector<ErrorCode> codes;
    for (const Issue& issue : reply_.issues) codes.push_back(issue.code);
    return codes;
  }
  // A refused batch leaves the plan exactly as it was.
  void ExpectRefused(std::vector<ThinkingCommand> commands, const std::vector<ErrorCode>& codes,
                     const std::string& path) {
    const std::string before = Fingerprint();
    ByHand(std::move(commands));
    EXPECT_EQ(reply_.status, Reply::Status::kRefused);
    EXPECT_EQ(Codes(), codes);
    if (!reply_.issues.empty()) {
      EXPECT_EQ(reply_.issues.front().path, path);
      EXPECT_FALSE(reply_.issues.front().hint.empty());
    }
    EXPECT_EQ(Fingerprint(), before);
    EXPECT_EQ(Of<ThinkingRefused>().size(), 1U);
    EXPECT_EQ(events_.size(), 1U);
  }
  std::string Fingerprint() {
    const PlanState* plan = engine_.state().FindPlan(PlanId(kPlan));
    if (plan == nullptr || !plan->dag) return "none";
    std::string text = std::to_string(plan->dag->revision()) + plan->dag->document().digest.Hex();
    for (const TaskRecord& task : plan->dag->tasks()) text += std::to_string(static_cast<int>(task.phase));
    return text;
  }
  static bool Has(const Names& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  }
  const Notebook* Book(const std::string& agent, const std::string& task) {
    return Plan(kPlan).memory.Find(AgentId(agent), TaskId(task));
  }
  std::vector<std::string> Memory(const std::string& agent, const std::string& task) {
    std::vector<std::string> texts;
    const Notebook* book = Book(agent, task);
    if (book == nullptr) return texts;
    for (const MemoryEntry& entry : book->entries) texts.push_back(sink_.Get(entry.text));
    return texts;
  }
  std::uint64_t OpenQuestion() {
    for (const auto& [number, question] : Plan(kPlan).people.questions()) {
      if (question.asked.purpose == QuestionPurpose::kAskHuman) return number;
    }
    return 0;
  }
};

}  // namespace agenttalk
