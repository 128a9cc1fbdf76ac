#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "mcp/message.h"
#include "mcp/server/plan_answer.h"
#include "mcp/server/resources.h"
#include "mcp/server/tool.h"

// Tools that show things, and those for people and single commands.
namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestText = 6000;
constexpr std::size_t kLongestNote = 500;
constexpr std::size_t kMostCommands = 3;  // of a task: the last ones
constexpr std::size_t kMostDecisions = 12;
constexpr std::size_t kMostQuestions = 20;
constexpr std::size_t kMostLinkedFiles = 20;
constexpr double kUsualPlans = 20;

void CopyTo(json::object& to, const json::object& from, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const json::value* found = from.if_contains(key);
    if (found == nullptr || found->is_null()) continue;
    if (found->is_string()) {
      to[key] = Shortened(std::string_view(found->get_string()), kLongestText);
    } else {
      to[key] = *found;
    }
  }
}

json::array LinkedFiles(const std::string& plan, const json::array& files, json::array& links) {
  json::array shown;
  for (const json::value& file : files) {
    const json::object resource = ResourceJson(plan, file.as_object());
    shown.push_back(json::object{{"name", resource.at("name")}, {"uri", resource.at("uri")}});
    if (links.size() < kMostLinkedFiles) links.push_back(ResourceLink(plan, file.as_object()));
  }
  return shown;
}

ToolAnswer TasksAnswer(const json::object& overview) {
  ToolAnswer answer;
  const std::string plan = TextAt(overview, "plan_id");
  CopyTo(answer.content, overview, {"plan_id", "goal", "state", "failure"});
  json::array tasks;
  for (const json::value& task : ListAt(overview, "tasks")) {
    json::object one;
    CopyTo(one, task.as_object(), {"task_id", "state", "agent", "assigned_agent_id", "score"});
    tasks.push_back(std::move(one));
  }
  answer.content["tasks"] = std::move(tasks);
  answer.content["tasks_total"] = static_cast<std::int64_t>(NumberAt(overview, "tasks_total"));
  answer.content["files"] = LinkedFiles(plan, ListAt(overview, "files"), answer.links);
  answer.content["files_total"] = static_cast<std::int64_t>(NumberAt(overview, "files_total"));
  return answer;
}

json::object CommandAnswer(const std::string& plan, const json::object& command, json::array& links) {
  json::object one;
  CopyTo(one, command,
         {"command_id", "agent", "state", "prompt", "result", "score", "score_explanation", "error"});
  one["attempts"] = ListAt(command, "attempts").size();
  one["outputs"] = LinkedFiles(plan, ListAt(command, "outputs"), links);
  return one;
}

ToolAnswer TaskAnswer(const json::object& shown) {
  ToolAnswer answer;
  const std::string plan = TextAt(shown, "plan_id");
  answer.content["plan_id"] = plan;
  if (const json::object* task = ObjectIn(shown, "task")) {
    json::object one;
    CopyTo(one, *task, {"task_id", "state", "agent", "assigned_agent_id", "score", "failure"});
    json::array decisions;
    for (const json::value& decision : ListAt(*task, "decisions")) {
      if (decisions.size() == kMostDecisions) break;
      decisions.emplace_back(Shortened(TextAt(decision.as_object(), "text"), kLongestNote));
    }
    one["decisions"] = std::move(decisions);
    answer.content["task"] = std::move(one);
  }
  const json::array& commands = ListAt(shown, "commands");
  json::array last;
  for (std::size_t i = commands.size() - std::min(commands.size(), kMostCommands); i < commands.size(); ++i)
    last.push_back(CommandAnswer(plan, commands[i].as_object(), answer.links));
  answer.content["commands"] = std::move(last);
  answer.content["commands_total"] = commands.size();
  return answer;
}

// What `command/new` made, sent under the name that it is known by.
void SendMade(const ToolCallPtr& call, const json::object& made) {
  const json::object* command = ObjectIn(made, "command");
  const json::value* ok = made.if_contains("ok");
  if (command == nullptr || ok == nullptr || !ok->is_bool() || !ok->as_bool()) {
    std::string message;
    for (const json::value& value : ListAt(made, "errors")) {
      const json::object& issue = value.as_object();
      message += fmt::format("{}{} at {}: {}", message.empty() ? "" : "; ", TextAt(issue, "code"),
                             TextAt(issue, "path"), TextAt(issue, "message"));
    }
    return call->Fail(
        {ErrorCode::kValueInvalid, message.empty() ? "the command cannot be made" : message, {}});
  }
  json::object request{{"name", TextAt(*command, "command_id") + ".json"},
                       {"content", CompactJson(*command)}};
  if (const std::string to = call->Text("to"); !to.empty()) request["to"] = to;
  call->hub().Call("send", std::move(request), [call](const Result<json::value>& sent) {
    if (!sent) return call->Fail(sent.error());
    json::object answer;
    CopyTo(answer, sent->as_object(), {"status", "agent", "plan_id", "command_id", "warnings"});
    call->hub().Advance(TextAt(answer, "plan_id"));
    call->Finish({std::move(answer)});
  });
}

}  // namespace

void ShowTool(const ToolCallPtr& call) {
  const std::string task = call->Text("task");
  json::object request{{"plan_id", call->Text("plan_id")}};
  if (task.empty()) {
    request["rows"] = kRows;
  } else {
    request["what"] = task;
  }
  call->hub().Call("show", std::move(request), [call, task](const Result<json::value>& shown) {
    if (!shown) return call->Fail(shown.error());
    call->Finish(task.empty() ? TasksAnswer(shown->as_object()) : TaskAnswer(shown->as_object()));
  });
}

void QuestionsTool(const ToolCallPtr& call) {
  call->hub().Call("questions", {}, [call](const Result<json::value>& questions) {
    if (!questions) return call->Fail(questions.error());
    const std::string plan = call->Text("plan_id");
    ToolAnswer answer;
    json::array shown;
    std::size_t total = 0;
    for (const json::value& question : questions->as_array()) {
      const std::string of = TextAt(question.as_object(), "plan_id");
      if (!plan.empty() && of != plan && of != "plan_" + plan) continue;
      if (++total <= kMostQuestions) shown.push_back(QuestionAnswerJson(question.as_object(), answer.links));
    }
    answer.content = {{"questions", std::move(shown)}, {"total", total}};
    call->Finish(std::move(answer));
  });
}

void AnswerTool(const ToolCallPtr& call) {
  // The plan has to be known before the question is closed.
  call->hub().Call("questions", {}, [call](const Result<json::value>& questions) {
    if (!questions) return call->Fail(questions.error());
    const std::string id = call->Text("id");
    std::string plan;
    for (const json::value& question : questions->as_array()) {
      if (TextAt(question.as_object(), "id") == id) plan = TextAt(question.as_object(), "plan_id");
    }
    json::object request{{"id", id}, {"text", call->Text("text")}, {"files", FilesForHub(call->arguments())}};
    if (const std::string decision = call->Text("decision"); !decision.empty())
      request["decision"] = decision;
    call->hub().Call("answer", std::move(request), [call, plan](const Result<json::value>& answered) {
      if (!answered) return call->Fail(answered.error());
      json::object answer = answered->as_object();
      if (!plan.empty()) {
        answer["plan_id"] = plan;
        call->hub().Advance(plan);
      }
      answer["next"] = "Call status with the plan_id and wait_s to see how it continues.";
      call->Finish({std::move(answer)});
    });
  });
}

void SendCommandTool(const ToolCallPtr& call) {
  json::object params = call->arguments().at("command").as_object();
  if (const std::string to = call->Text("to"); !to.empty() && !params.contains("assigned_agent_id"))
    params["assigned_agent_id"] = to;
  call->hub().Call("command/new", {{"params", std::move(params)}}, [call](const Result<json::value>& made) {
    if (!made) return call->Fail(made.error());
    SendMade(call, made->as_object());
  });
}

void AgentsTool(const ToolCallPtr& call) {
  call->hub().Call("agents", {}, [call](const Result<json::value>& agents) {
    if (!agents) return call->Fail(agents.error());
    call->Finish({json::object{{"agents", *agents}}});
  });
}

void PlansTool(const ToolCallPtr& call) {
  const auto limit = static_cast<std::size_t>(call->Number("limit", kUsualPlans));
  json::object request{{"limit", limit}};
  for (const char* name : {"state", "text", "tag", "after"}) {
    if (const std::string given = call->Text(name); !given.empty()) request[name] = given;
  }
  call->hub().Call("plans", std::move(request), [call, limit](const Result<json::value>& plans) {
    if (!plans) return call->Fail(plans.error());
    json::array shown;
    for (const json::value& plan : plans->as_array()) {
      json::object one;
      CopyTo(one, plan.as_object(),
             {"plan_id", "state", "tasks_completed", "tasks_total", "updated_at", "tags"});
      one["goal"] = Shortened(TextAt(plan.as_object(), "goal"), kLongestNote);
      shown.push_back(std::move(one));
    }
    const bool more = shown.size() == limit;
    call->Finish({json::object{{"plans", std::move(shown)}, {"more", more}}});
  });
}

}  // namespace agenttalk::mcp
