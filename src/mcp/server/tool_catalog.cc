#include <array>
#include <span>

#include "mcp/server/tool.h"

// What the server offers. Names and shapes are for models: few arguments, short answers, links to the rest.
namespace agenttalk::mcp {
namespace {

const ToolArgument kPlanId{"plan_id", ArgumentKind::kText, true, "the plan's id, with or without plan_"};
const ToolArgument kMaybePlan{"plan_id", ArgumentKind::kText, false, "only those of this plan"};
const ToolArgument kWait{"wait_s", ArgumentKind::kSeconds, false,
                         "how long to wait for the plan to end or to need a person; default 50"};
const ToolArgument kGivenFiles{"files", ArgumentKind::kFiles, false, "files that the agents may use"};
const ToolArgument kFresh{"fresh", ArgumentKind::kFlag, false,
                          "run every task again and reuse no recorded answer"};

using Answers = std::vector<std::pair<std::string_view, std::string_view>>;

Answers PlanAnswers() {
  return {{"plan_id", "string"},          {"state", "string"},        {"active", "boolean"},
          {"tasks_completed", "integer"}, {"tasks_total", "integer"}, {"questions", "array"},
          {"outputs", "array"},           {"next", "string"}};
}

std::vector<Tool> RunningTools() {
  return {
      {.name = "run_goal",
       .title = "Run a goal",
       .description =
           "Gives a goal in words to the team of agents, which plans and does the work. Waits for up to "
           "wait_s seconds, then says how far it is. The same goal again continues its plan.",
       .method = "goal",
       .arguments = {{"goal", ArgumentKind::kText, true, "what is wanted, in words"},
                     kGivenFiles,
                     {"plan_id", ArgumentKind::kText, false, "the new plan's id; default: made of the words"},
                     kFresh,
                     kWait},
       .answers = PlanAnswers(),
       .run = &RunGoalTool},
      {.name = "run_plan",
       .title = "Run a plan",
       .description =
           "Runs a plan file (YAML: plan, goal, tasks), or continues a plan that exists. Waits for up to "
           "wait_s seconds, then says how far it is. Failed tasks of an existing plan are run again.",
       .method = "plan/run",
       .arguments = {{"plan", ArgumentKind::kText, false, "the text of a plan.yaml"},
                     {"plan_id", ArgumentKind::kText, false, "instead of plan: an existing plan to continue"},
                     kGivenFiles,
                     kFresh,
                     kWait},
       .answers = PlanAnswers(),
       .run = &RunPlanTool},
      {.name = "status",
       .title = "Status of a plan",
       .description =
           "Says how far a plan is, what it waits for and what it made. With wait_s it waits until the plan "
           "has ended or needs a person, and reports progress meanwhile.",
       .method = "show",
       .arguments = {kPlanId,
                     {"wait_s", ArgumentKind::kSeconds, false,
                      "how long to wait; default 0: answer at once"}},
       .answers = PlanAnswers(),
       .reads = true,
       .run = &StatusTool},
      {.name = "show",
       .title = "Show a plan or a task",
       .description =
           "Lists the tasks of a plan, or shows one task or command: what was asked, what came of it, why, "
           "and its outputs.",
       .method = "show",
       .arguments = {kPlanId, {"task", ArgumentKind::kText, false, "a task's or a command's id"}},
       .answers = {{"plan_id", "string"}},
       .reads = true,
       .run = &ShowTool},
      {.name = "say",
       .title = "Say something about a plan",
       .description = "Gives feedback on a plan in words. The plan may change, continue, stop or be "
                      "replaced; status says "
                      "what came of it.",
       .method = "say",
       .arguments = {kPlanId, {"text", ArgumentKind::kText, true, "the remark"}},
       .answers = {{"plan_id", "string"}, {"status", "string"}, {"next", "string"}},
       .run = &SayTool},
  };
}

std::vector<Tool> PeopleTools() {
  return {
      {.name = "questions",
       .title = "Open questions",
       .description = "Lists what waits for a person's decision, with the files to judge as links.",
       .method = "questions",
       .arguments = {kMaybePlan},
       .answers = {{"questions", "array"}, {"total", "integer"}},
       .reads = true,
       .run = &QuestionsTool},
      {.name = "answer",
       .title = "Answer a question",
       .description =
           "Passes a person's decision on. Use it only for what your user decided. A rejection with a text "
           "sends the work back with that text.",
       .method = "answer",
       .arguments =
           {{"id", ArgumentKind::kText, true, "the question's id"},
            {"decision", ArgumentKind::kText, false, "for questions with choices", {"approve", "reject"}},
            {"text", ArgumentKind::kText, false, "the person's words"},
            kGivenFiles},
       .answers = {{"id", "string"}, {"status", "string"}, {"next", "string"}},
       .destroys = true,
       .run = &AnswerTool},
      {.name = "control",
       .title = "Pause, resume or cancel a plan",
       .description = "Pauses, resumes or cancels a plan. A cancelled plan does not continue.",
       .method = "cancel",
       .arguments = {kPlanId,
                     {"action", ArgumentKind::kText, true, "what to do", {"pause", "resume", "cancel"}},
                     {"reason", ArgumentKind::kText, false, "why; kept in the plan's history"}},
       .answers = {{"plan_id", "string"}, {"status", "string"}},
       .destroys = true,
       .run = &ControlTool},
  };
}

std::vector<Tool> HubTools() {
  return {
      {.name = "send_command",
       .title = "Send a command to an agent",
       .description = "Makes a command from its fields (plan_id and prompt are needed; see generate_command) "
                      "and puts it "
                      "into an agent's inbox.",
       .method = "send",
       .arguments =
           {{"command", ArgumentKind::kObject, true,
             "the fields of the command, for instance {\"plan_id\", \"prompt\", \"required_inputs\"}"},
            {"to", ArgumentKind::kText, false, "the agent; not needed in a hub with one agent"}},
       .answers = {{"status", "string"}, {"plan_id", "string"}, {"command_id", "string"}},
       .run = &SendCommandTool},
      {.name = "agents",
       .title = "Agents",
       .description = "Lists the agents of the team, what they can do and whether they are busy.",
       .method = "agents",
       .arguments = {},
       .answers = {{"agents", "array"}},
       .reads = true,
       .run = &AgentsTool},
      {.name = "plans",
       .title = "Plans",
       .description = "Lists plans, the newest first.",
       .method = "plans",
       .arguments = {{"state",
                      ArgumentKind::kText,
                      false,
                      "only plans in this state",
                      {"running", "waiting", "paused", "completed", "failed", "cancelled"}},
                     {"text", ArgumentKind::kText, false, "only plans with this in their id or goal"},
                     {"tag", ArgumentKind::kText, false, "only plans with this tag"},
                     {"limit", ArgumentKind::kCount, false, "at most so many; default 20"},
                     {"after", ArgumentKind::kText, false, "a plan_id: continue the list after it"}},
       .answers = {{"plans", "array"}, {"more", "boolean"}},
       .reads = true,
       .run = &PlansTool},
  };
}

}  // namespace

std::span<const Tool> Tools() {
  static const std::vector<Tool> tools = [] {
    std::vector<Tool> all = RunningTools();
    for (auto more : {PeopleTools(), HubTools()}) {
      for (Tool& tool : more) all.push_back(std::move(tool));
    }
    return all;
  }();
  return tools;
}

}  // namespace agenttalk::mcp
