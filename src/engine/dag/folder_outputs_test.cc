#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/dag/fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/content/named_content.h"
#include "model/events/event.h"

// What tools leave in outputs/, from their outcome to those who get it.
namespace agenttalk {
namespace {

class LeftFiles : public DagTest {
 protected:
  using Files = std::vector<std::pair<std::string, Payload>>;

  // The task's model asks for a tool, which leaves these files and removes those.
  Names UseTool(const std::string& task, Files left, std::vector<std::string> removed = {}) {
    ModelCallDone wish = MakeAnswer(CommandOf(task), "", {}, kPlan);
    wish.answer.tools.push_back({"", "read_file", "{}", true, {}});
    Feed(std::move(wish));
    ToolCallDone done{
        PlanId(kPlan), CommandId(CommandOf(task)), OpenCallOf(CommandOf(task), kPlan), "done", {}, {}};
    done.captured = std::move(left);
    done.removed = std::move(removed);
    return Feed(std::move(done));
  }
  std::vector<std::string> Named(const std::vector<NamedContent>& files) {
    std::vector<std::string> names;
    for (const NamedContent& file : files) names.push_back(file.name + "=" + sink_.Get(file.content));
    return names;
  }
  std::vector<std::string> InOutputs(const std::string& task) {
    return Named(Record(CommandOf(task), kPlan)->execution->outputs);
  }
};

const char* const kMade = R"(
  - {id: make, agent: alice, prompt: M, outputs: [a.md, b.png]}
  - {id: use, agent: bob, prompt: U, inputs: [a.md, b.png]}
)";

TEST_F(LeftFiles, TheLastContentOfEachFileIsInTheRecord) {
  Run(kMade);
  UseTool("make", {{"b.png", Payload("1")}, {"a.md", Payload("old")}});
  EXPECT_EQ(InOutputs("make"), (Strings{"a.md=old", "b.png=1"}));
  UseTool("make", {{"a.md", Payload("new")}}, {"b.png"});
  EXPECT_EQ(InOutputs("make"), Strings{"a.md=new"});
}

TEST_F(LeftFiles, ADeclaredOutputThatTheAnswerDoesNotGiveIsTheFile) {
  Run(kMade);
  UseTool("make", {{"b.png", Payload(std::string("\x89PNG\0", 5))}, {"a.md", Payload("file")}});
  ModelCallDone done = MakeAnswer("cmd_make_001", "made", {}, kPlan);
  done.answer.outputs["a.md"] = "given";
  Feed(std::move(done));
  EXPECT_EQ(InputsOf("use"), (Strings{"a.md=given", std::string("b.png=\x89PNG\0", 11)}));
}

TEST_F(LeftFiles, AnAnswerMayNameAFileAsAnOutput) {
  Run(kMade);
  UseTool("make", {{"x/chart.png", Payload("png")}});
  const NamedContent chart = Record("cmd_make_001", kPlan)->execution->outputs.front();
  ModelCallDone done = MakeAnswer("cmd_make_001", "made", {}, kPlan);
  done.answer.outputs["a.md"] = "text";
  done.answer.files["b.png"] = chart.content;
  Feed(std::move(done));
  EXPECT_EQ(InputsOf("use"), (Strings{"a.md=text", "b.png=png"}));
}

TEST_F(LeftFiles, TheOnlyOutputIsTheFileRatherThanTheResult) {
  Run("  - {id: make, agent: alice, prompt: M, outputs: [a.png]}\n");
  UseTool("make", {{"a.png", Payload("png")}});
  Answer("make", "I made it");
  EXPECT_EQ(sink_.Get(Dag().delivered().at("a.png")), "png");
}

TEST_F(LeftFiles, WhatATaskThatDeclaresNothingLeavesGoesToItsDependents) {
  Run(R"(
  - {id: make, agent: alice, prompt: M}
  - {id: use, agent: bob, prompt: U, needs: [make]}
  - {id: far, agent: alice, prompt: F, needs: [use]}
)");
  UseTool("make", {{"notes.md", Payload("n")}});
  Answer("make", "made");
  EXPECT_EQ(InputsOf("use"), (Strings{"make.result.md=made", "notes.md=n"}));
  UseTool("use", {{"notes.md", Payload("other")}});
  Answer("use", "used");
  EXPECT_EQ(InputsOf("far"), (Strings{"notes.md=other", "use.result.md=used"}));
  UseTool("far", {{"last.md", Payload("l")}});
  Answer("far", "done");
  EXPECT_EQ(sink_.Get(Dag().delivered().at("last.md")), "l");
}

TEST_F(LeftFiles, UndeclaredFilesOfTwoTasksKeepApart) {
  Run(R"(
  - {id: one, agent: alice, prompt: O}
  - {id: two, agent: alice, prompt: T, needs: [one]}
  - {id: use, agent: bob, prompt: U, needs: [one, two]}
)");
  UseTool("one", {{"notes.md", Payload("1")}});
  Answer("one", "1");
  UseTool("two", {{"notes.md", Payload("2")}});
  Answer("two", "2");
  EXPECT_EQ(InputsOf("use"), (Strings{"notes.md=1", "one.result.md=1", "two.notes.md=2", "two.result.md=2"}));
}

TEST_F(LeftFiles, WhoDeclaresOutputsDeliversTheseAndKeepsTheRest) {
  Run(kMade);
  UseTool("make", {{"a.md", Payload("a")}, {"b.png", Payload("b")}, {"scratch.md", Payload("s")}});
  Answer("make", "made");
  EXPECT_EQ(InputsOf("use"), (Strings{"a.md=a", "b.png=b"}));
  EXPECT_EQ(Named(Task("make").result->beside), Strings{"scratch.md=s"});
}

TEST_F(LeftFiles, ReworkIsGivenWhatWasLeftBefore) {
  Run("  - {id: make, agent: alice, prompt: M, outputs: [a.md], score: {criteria: c, pass: 50, rework: "
      "1}}\n");
  UseTool("make", {{"a.md", Payload("a")}, {"draft.md", Payload("d")}});
  Answer("make", "made", 10);
  EXPECT_EQ(InputsOf("make"), (Strings{"previous_a.md=a", "previous_draft.md=d"}));
}

// A retry continues in the same folder.
TEST_F(LeftFiles, AFailedAttemptLosesNothing) {
  Run("  - {id: make, agent: alice, prompt: M, outputs: [a.md, b.md], retry: 1}\n");
  UseTool("make", {{"a.md", Payload("a")}});
  Feed([&] {
    ModelCallDone done = MakeAnswer("cmd_make_001", "", {}, kPlan);
    done.failure = CallFailure{ErrorCode::kModelFailed, "503", true, {}};
    return done;
  }());
  Wait(std::chrono::seconds(60));
  EXPECT_EQ(InOutputs("make"), Strings{"a.md=a"});
}

class LeftInOpenPlan : public EngineTest {};

TEST_F(LeftInOpenPlan, FilesGoWithTheMessage) {
  CommandFile file = MakeCommand("cmd_1");
  file.command.on_complete.send_to = {AgentId("bob")};
  file.command.on_complete.output_name = "chart.png";
  Feed(file);
  ModelCallDone wish = MakeAnswer("cmd_1", "");
  wish.answer.tools.push_back({"", "read_file", "{}", true, {}});
  Feed(std::move(wish));
  ToolCallDone done{PlanId("plan_a"), CommandId("cmd_1"), OpenCallOf("cmd_1"), "done", {}, {}};
  done.captured = {{"chart.png", Payload("png")}, {"notes.md", Payload("n")}, {"deep/x.md", Payload("x")}};
  Feed(std::move(done));
  Feed(MakeAnswer("cmd_1", "drawn"));
  std::vector<std::string> arrived;
  for (const InputArrived& input : Of<InputArrived>())
    arrived.push_back(input.name + "=" + sink_.Get(input.content));
  EXPECT_NE(std::ranges::find(arrived, "chart.png=png"), arrived.end());
  EXPECT_NE(std::ranges::find(arrived, "notes.md=n"), arrived.end());
}

}  // namespace
}  // namespace agenttalk
