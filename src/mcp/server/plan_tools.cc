#include <boost/json.hpp>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "mcp/server/plan_answer.h"
#include "mcp/server/plan_following.h"
#include "mcp/server/tool.h"

// Tools that start, change and follow plans.
namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

// Most clients give a call a minute.
constexpr double kUsualWait = 50;
constexpr const char* kAuthor = "mcp";

// Asks for something about a plan, sees to it that somebody works on it, and follows it.
void RunAndFollow(const ToolCallPtr& call, const std::string& method, json::object request) {
  request["author"] = kAuthor;
  call->hub().Call(method, std::move(request), [call](const Result<json::value>& accepted) {
    if (!accepted) return call->Fail(accepted.error());
    const std::string plan = TextAt(accepted->as_object(), "plan_id");
    call->hub().Advance(plan);
    AnswerWithPlan(call, plan, call->Number("wait_s", kUsualWait));
  });
}

}  // namespace

void RunGoalTool(const ToolCallPtr& call) {
  json::object request{{"goal", call->Text("goal")},
                       {"files", FilesForHub(call->arguments())},
                       {"fresh", call->Flag("fresh")}};
  // Ids of plans begin with "plan_", whoever names them.
  if (const std::string plan = call->Text("plan_id"); !plan.empty())
    request["plan_id"] = plan.starts_with("plan_") ? plan : "plan_" + plan;
  RunAndFollow(call, "goal", std::move(request));
}

void RunPlanTool(const ToolCallPtr& call) {
  const std::string known = call->Text("plan_id");
  const std::string text = call->Text("plan");
  if (known.empty() == text.empty()) {
    call->Fail({ErrorCode::kUsage, "run_plan needs either plan or plan_id",
                "plan is the text of a plan file; plan_id continues a plan that exists"});
  } else if (known.empty()) {
    RunAndFollow(call, "plan/run",
                 {{"plan", text}, {"files", FilesForHub(call->arguments())}, {"fresh", call->Flag("fresh")}});
  } else if (call->arguments().contains("files")) {
    call->Fail({ErrorCode::kUsage, "files go with plan, not with plan_id", "leave files out"});
  } else {
    RunAndFollow(call, "plan/continue", {{"plan_id", known}, {"fresh", call->Flag("fresh")}});
  }
}

void StatusTool(const ToolCallPtr& call) {
  AnswerWithPlan(call, call->Text("plan_id"), call->Number("wait_s", 0));
}

void SayTool(const ToolCallPtr& call) {
  call->hub().Call("say",
                   {{"plan_id", call->Text("plan_id")}, {"text", call->Text("text")}, {"author", kAuthor}},
                   [call](const Result<json::value>& said) {
                     if (!said) return call->Fail(said.error());
                     json::object answer = said->as_object();
                     call->hub().Advance(TextAt(answer, "plan_id"));
                     answer["next"] = "Call status with this plan_id and wait_s to see what comes of it.";
                     call->Finish({std::move(answer)});
                   });
}

void ControlTool(const ToolCallPtr& call) {
  const std::string action = call->Text("action");
  call->hub().Call(action, {{"plan_id", call->Text("plan_id")}, {"reason", call->Text("reason")}},
                   [call, action](const Result<json::value>& done) {
                     if (!done) return call->Fail(done.error());
                     if (action == "resume") call->hub().Advance(TextAt(done->as_object(), "plan_id"));
                     call->Finish({done->as_object()});
                   });
}

}  // namespace agenttalk::mcp
