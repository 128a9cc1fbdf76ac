#include "runtime/reports/plan_diff.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/text_diff.h"
#include "base/time.h"
#include "base/utf8.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "runtime/core/content_store.h"
#include "runtime/core/shown_task.h"
#include "runtime/history/cost_json.h"
#include "runtime/reports/plan_report.h"
#include "runtime/reports/task_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kLargestText = std::uint64_t{1} << 20;
constexpr std::size_t kMostLines = 200;

// A task, or a command of a plan without tasks.
struct Item {
  std::string agent;
  std::string state;
  std::optional<double> score;
  std::uint32_t attempts = 0;
  Cost cost;
  double elapsed = 0;
  bool reused = false;
  std::optional<TaskNode> node;
  std::map<std::string, Content> outputs;
};

// In the order of the plan.
struct Items {
  std::vector<std::string> order;
  std::map<std::string, Item> by_id;
};

double SecondsBetween(Timestamp start, Timestamp end) {
  if (start == Timestamp{} || end < start) return 0;
  return std::chrono::duration<double>(end - start).count();
}

Items ItemsOf(const PlanState& plan) {
  Items items;
  if (!plan.dag) {
    for (const CommandRecord& record : plan.commands) {
      Item item{record.agent.str(), EnumName(record.state), {}, 0, {}, 0, false, {}, {}};
      if (record.outcome) item.score = record.outcome->score;
      if (record.outcome && !record.outcome->result.empty()) item.outputs["result"] = record.outcome->result;
      items.order.push_back(record.id.str());
      items.by_id.emplace(record.id.str(), std::move(item));
    }
    return items;
  }
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) {
    const TaskRecord& record = plan.dag->Task(task);
    Item item{plan.dag->AgentOf(task).str(),
              TaskStateName(plan, task),
              {},
              record.attempts,
              record.cost,
              0,
              record.reused,
              plan.dag->Node(task),
              {}};
    item.elapsed = SecondsBetween(record.started_at, record.ended_at);
    if (record.result) {
      item.score = record.result->score;
      for (const NamedContent& output : record.result->outputs) item.outputs[output.name] = output.content;
    }
    items.order.push_back(plan.dag->IdOf(task).str());
    items.by_id.emplace(items.order.back(), std::move(item));
  }
  return items;
}

json::object CostJson(const Cost& cost) {
  return {{"input", cost.input_tokens}, {"output", cost.output_tokens}};
}

json::value ItemJson(const Item* item) {
  if (item == nullptr) return nullptr;
  return json::object{{"agent", item->agent},
                      {"state", item->state},
                      {"score", item->score ? json::value(*item->score) : json::value(nullptr)},
                      {"attempts", item->attempts},
                      {"tokens", CostJson(item->cost)},
                      {"cost_usd", CostUsd(item->cost)},
                      {"elapsed_s", item->elapsed},
                      {"reused", item->reused}};
}

// Which parts of the two definitions are not the same.
json::array ChangedParts(const Item* a, const Item* b) {
  json::array parts;
  if (a == nullptr || b == nullptr || !a->node || !b->node) return parts;
  const auto note = [&](const char* name, bool same) {
    if (!same) parts.emplace_back(name);
  };
  note("prompt", a->node->prompt == b->node->prompt);
  note("agent", a->node->assigned_agent_id == b->node->assigned_agent_id);
  note("model", a->node->model == b->node->model);
  note("depends_on", a->node->depends_on == b->node->depends_on);
  note("inputs", a->node->inputs == b->node->inputs);
  note("outputs", a->node->outputs == b->node->outputs);
  note("score", a->node->score == b->node->score);
  note("gates", a->node->gates == b->node->gates);
  note("failure_policy", a->node->failure_policy == b->node->failure_policy);
  note("timeout", a->node->timeout == b->node->timeout);
  note("retry_times", a->node->retry_times == b->node->retry_times);
  return parts;
}

json::value ContentJson(const Content* content) {
  if (content == nullptr) return nullptr;
  return json::object{{"sha256", content->digest.Hex()}, {"size", content->size}};
}

const Content* Find(const Item* item, const std::string& name) {
  if (item == nullptr) return nullptr;
  const auto found = item->outputs.find(name);
  return found == item->outputs.end() ? nullptr : &found->second;
}

Result<void> AddTextDiff(json::object& output, const Content& a, const Content& b, ContentStore& contents) {
  if (a.size > kLargestText || b.size > kLargestText) return {};
  const auto before = TRY(contents.Load(a));
  const auto after = TRY(contents.Load(b));
  if (!IsUtf8(*before) || !IsUtf8(*after)) return {};
  const TextDiff diff = DiffLines(*before, *after);
  json::array lines;
  for (std::size_t i = 0; i < std::min(diff.lines.size(), kMostLines); ++i) lines.emplace_back(diff.lines[i]);
  output["lines"] = json::object{{"added", diff.added},
                                 {"removed", diff.removed},
                                 {"diff", std::move(lines)},
                                 {"complete", diff.lines.size() <= kMostLines}};
  return {};
}

Result<json::object> OutputJson(const std::string& name, const Content* a, const Content* b,
                                ContentStore& contents) {
  const bool same = a != nullptr && b != nullptr && a->digest == b->digest;
  json::object output{
      {"name", name}, {"same", same}, {"a", ContentJson(a)}, {"b", ContentJson(b)}, {"lines", nullptr}};
  if (!same && a != nullptr && b != nullptr) TRY(AddTextDiff(output, *a, *b, contents));
  return output;
}

Result<json::object> RowJson(const std::string& id, const Item* a, const Item* b, ContentStore& contents) {
  std::set<std::string> names;
  for (const Item* item : {a, b}) {
    if (item == nullptr) continue;
    for (const auto& [name, content] : item->outputs) names.insert(name);
  }
  json::array outputs;
  bool same = a != nullptr && b != nullptr && a->state == b->state;
  for (const std::string& name : names) {
    json::object output = TRY(OutputJson(name, Find(a, name), Find(b, name), contents));
    same = same && output.at("same").as_bool();
    outputs.push_back(std::move(output));
  }
  return json::object{{"task_id", id},
                      {"same", same},
                      {"a", ItemJson(a)},
                      {"b", ItemJson(b)},
                      {"changed", ChangedParts(a, b)},
                      {"outputs", std::move(outputs)}};
}

json::object TotalJson(const PlanState& plan, const Items& items) {
  std::size_t completed = 0;
  double elapsed = 0;
  std::size_t reused = 0;
  for (const auto& [id, item] : items.by_id) {
    if (item.state == "COMPLETED" || item.state == "succeeded") ++completed;
    if (item.reused) ++reused;
    elapsed += item.elapsed;
  }
  return {
      {"plan_id", plan.id.str()},        {"state", PlanStateName(plan)}, {"tasks_total", items.order.size()},
      {"tasks_completed", completed},    {"tasks_reused", reused},       {"tokens", CostJson(plan.spent)},
      {"cost_usd", CostUsd(plan.spent)}, {"elapsed_s", elapsed}};
}

const Item* Find(const Items& items, const std::string& id) {
  const auto found = items.by_id.find(id);
  return found == items.by_id.end() ? nullptr : &found->second;
}

}  // namespace

Result<json::object> PlanDiffJson(const PlanState& a, const PlanState& b, ContentStore& contents) {
  const Items before = ItemsOf(a);
  const Items after = ItemsOf(b);
  std::vector<std::string> ids = before.order;
  for (const std::string& id : after.order) {
    if (!before.by_id.contains(id)) ids.push_back(id);
  }
  json::array rows;
  for (const std::string& id : ids) {
    rows.push_back(TRY(RowJson(id, Find(before, id), Find(after, id), contents)));
  }
  return json::object{{"a", TotalJson(a, before)}, {"b", TotalJson(b, after)}, {"tasks", std::move(rows)}};
}

}  // namespace agenttalk
