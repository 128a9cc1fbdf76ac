#include "mcp/server/plan_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/utf8.h"
#include "mcp/message.h"
#include "mcp/server/resources.h"
#include "mcp/server/tool.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestQuestion = 4000;
constexpr std::size_t kLongestFailure = 1000;
constexpr std::size_t kMostLinks = 20;

std::string Next(const json::object& overview, const std::string& note) {
  if (!note.empty()) return note;
  const std::string state = TextAt(overview, "state");
  const std::string plan = TextAt(overview, "plan_id");
  if (state == "completed") return "It is done. Read its outputs with resources/read.";
  if (state == "failed")
    return "It failed. When the cause is corrected, run_plan with this plan_id runs the failed tasks again.";
  if (state == "cancelled") return "It was cancelled and does not continue.";
  if (state == "paused") return "It is paused. control with action resume continues it.";
  if (IsSettled(overview))
    return "It waits for a person. Show the questions to your user and pass the decision on with answer.";
  const json::value* active = overview.if_contains("active");
  if (active != nullptr && active->is_bool() && !active->as_bool())
    return "No process works on it now. run_plan with this plan_id continues it, and so does `agenttalk "
           "serve`.";
  return "It is still running. Call status with this plan_id and wait_s to wait for it.";
}

json::array QuestionsOf(const json::object& overview, const json::value& questions, json::array& links) {
  json::array found;
  if (!questions.is_array()) return found;
  const json::array& ids = ListAt(overview, "questions");
  for (const json::value& question : questions.as_array()) {
    const json::object* object = question.if_object();
    if (object == nullptr || std::ranges::find(ids, question.at("id")) == ids.end()) continue;
    found.push_back(QuestionAnswerJson(*object, links));
  }
  return found;
}

json::array OutputsOf(const json::object& overview, json::array& links) {
  const std::string plan = TextAt(overview, "plan_id");
  json::array outputs;
  for (const json::value& file : ListAt(overview, "deliverables")) {
    const json::object resource = ResourceJson(plan, file.as_object());
    outputs.push_back(json::object{
        {"name", resource.at("name")}, {"uri", resource.at("uri")}, {"size", resource.at("size")}});
    if (links.size() < kMostLinks) links.push_back(ResourceLink(plan, file.as_object()));
  }
  return outputs;
}

void Copy(const json::object& from, std::string_view key, json::object& to) {
  const json::value* found = from.if_contains(key);
  if (found != nullptr && !found->is_null()) to[key] = *found;
}

}  // namespace

std::string Shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return fmt::format("{}… ({} of {} bytes)", Utf8Prefix(text, most), most, text.size());
}

std::string TextAt(const json::object& object, std::string_view key) {
  return StringIn(object, key).value_or(std::string());
}

double NumberAt(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found == nullptr ? 0 : AsDouble(*found).value_or(0);
}

const json::array& ListAt(const json::object& object, std::string_view key) {
  static const json::array none;
  const json::value* found = object.if_contains(key);
  return found != nullptr && found->is_array() ? found->get_array() : none;
}

bool IsSettled(const json::object& overview) {
  const std::string state = TextAt(overview, "state");
  if (state == "waiting") return !ListAt(overview, "questions").empty();
  return state != "running";
}

json::object QuestionAnswerJson(const json::object& question, json::array& links) {
  json::object shown;
  for (const char* key :
       {"id", "plan_id", "task_id", "kind", "risk", "choices", "leads_to", "from", "asked_at", "deadline"})
    Copy(question, key, shown);
  shown["text"] = Shortened(TextAt(question, "text"), kLongestQuestion);
  json::array files;
  const std::string plan = TextAt(question, "plan_id");
  for (const json::value& file : ListAt(question, "files")) {
    const json::object resource = ResourceJson(plan, file.as_object());
    files.push_back(json::object{{"name", resource.at("name")}, {"uri", resource.at("uri")}});
    if (links.size() < kMostLinks) links.push_back(ResourceLink(plan, file.as_object()));
  }
  shown["files"] = std::move(files);
  return shown;
}

ToolAnswer PlanAnswer(const json::object& overview, const json::value& questions, const std::string& note) {
  ToolAnswer answer;
  json::object& content = answer.content;
  for (const char* key : {"plan_id", "state", "goal", "phase"}) Copy(overview, key, content);
  content["active"] =
      overview.contains("active") && overview.at("active").is_bool() && overview.at("active").as_bool();
  content["tasks_completed"] = static_cast<std::int64_t>(NumberAt(overview, "completed"));
  content["tasks_total"] = static_cast<std::int64_t>(NumberAt(overview, "total"));
  if (const std::string failure = TextAt(overview, "failure"); !failure.empty())
    content["failure"] = Shortened(failure, kLongestFailure);
  content["questions"] = QuestionsOf(overview, questions, answer.links);
  content["outputs"] = OutputsOf(overview, answer.links);
  Copy(overview, "tokens", content);
  Copy(overview, "cost_usd", content);
  content["next"] = Next(overview, note);
  return answer;
}

}  // namespace agenttalk::mcp
