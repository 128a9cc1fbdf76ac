#include "cli/live/live_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/console.h"
#include "cli/hub_call.h"
#include "cli/text/cost_text.h"
#include "cli/text/task_table.h"
#include "cli/text/text_width.h"
#include "model/config/human_agent.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// Room for the plan's line, what was done last, a question and its prompt.
constexpr std::size_t kOtherRows = 9;
constexpr std::size_t kDeepest = 8;
constexpr std::size_t kMostActivity = 3;
// A plan of more tasks has no use for a tree.
constexpr std::size_t kMostInTree = 2000;

struct Look {
  const char* mark;
  Style style;
};

Look LookOf(const std::string& state) {
  if (state == "COMPLETED") return {"✓", Style::kGreen};
  if (state == "RUNNING") return {"●", Style::kBold};
  if (state == "FAILED" || state == "CANCELLED") return {"✗", Style::kRed};
  if (state.starts_with("BLOCKED")) return {"?", Style::kYellow};
  if (state == "SKIPPED") return {"-", Style::kDim};
  return {"·", Style::kDim};
}

struct Row {
  const json::object* task;
  std::string name;  // with the lines of the tree
};

// Every task once, below the one of its dependencies that comes last.
class Tree {
 public:
  explicit Tree(const json::array& tasks) {
    for (const json::value& task : tasks) by_id_[CellText(task.at("task_id"))] = &task.as_object();
    for (const json::value& task : tasks) {
      children_[ParentOf(task.as_object())].push_back(&task.as_object());
    }
  }

  std::vector<Row> Rows() {
    Add("", "", 0);
    return std::move(rows_);
  }

 private:
  std::size_t DepthOf(const std::string& id) {
    if (const auto known = depth_.find(id); known != depth_.end()) return known->second;
    depth_[id] = 0;
    std::size_t depth = 0;
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return 0;
    for (const json::value& one : found->second->at("depends_on").as_array()) {
      depth = std::max(depth, 1 + DepthOf(CellText(one)));
    }
    return depth_[id] = depth;
  }
  std::string ParentOf(const json::object& task) {
    std::string parent;
    std::size_t deepest = 0;
    for (const json::value& one : task.at("depends_on").as_array()) {
      const std::string id = CellText(one);
      if (parent.empty() || DepthOf(id) > deepest) {
        parent = id;
        deepest = DepthOf(id);
      }
    }
    return parent;
  }
  void Add(const std::string& parent, const std::string& indent, std::size_t depth) {
    const std::vector<const json::object*>& children = children_[parent];
    for (const json::object* task : children) {
      const bool last = task == children.back();
      const bool root = depth == 0;
      const std::string id = CellText(task->at("task_id"));
      rows_.push_back({task, indent + (root ? "" : last ? "└ " : "├ ") + id});
      const bool deeper = !root && depth < kDeepest;
      Add(id, indent + (!deeper ? "" : last ? "  " : "│ "), depth + 1);
    }
  }

  std::map<std::string, const json::object*> by_id_;
  std::map<std::string, std::vector<const json::object*>> children_;
  std::map<std::string, std::size_t> depth_;
  std::vector<Row> rows_;
};

std::string StateText(const json::object& task) {
  std::string state = CellText(task.at("state"));
  std::ranges::transform(state, state.begin(), [](char c) {
    return c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (task.at("reused").as_bool()) state += " (reused)";
  return state;
}

std::string WhyText(const json::object& task) {
  if (!task.at("error").is_null()) return CellText(task.at("error").at("message"));
  const std::string by = CellText(task.at("blocked_by"));
  const bool waits = CellText(task.at("state")).starts_with("BLOCKED");
  if (by.empty() || !waits) return {};
  return by == kHuman ? "a person decides" : "waits for " + by;
}

std::string MoneyText(const json::object& task) {
  return CostRemark(task.at("cost_usd"));
}

std::vector<std::string> Cells(const Row& row, double now) {
  const json::object& task = *row.task;
  const std::uint64_t tokens = TokensOf(task.at("tokens"));
  const std::string score = CellText(task.at("score"));
  return {row.name,
          CellText(task.at("agent")),
          StateText(task),
          score.empty() ? "" : "score " + score,
          ElapsedText(task, now),
          tokens == 0 ? "" : fmt::format("{} tok", tokens),
          MoneyText(task),
          WhyText(task)};
}

// Columns as wide as their widest cell; what does not fit is cut off at the end of the line.
std::vector<std::string> Align(const std::vector<Row>& rows, const LiveFrame& frame) {
  std::vector<std::vector<std::string>> table;
  std::vector<std::size_t> widths(8);
  for (const Row& row : rows) {
    table.push_back(Cells(row, frame.now));
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(table.back()[i]));
    }
  }
  widths[0] = std::min(widths[0], std::max<std::size_t>(12, frame.columns * 2 / 5));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Look look = LookOf(CellText(rows[i].task->at("state")));
    std::string line;
    for (std::size_t cell = 0; cell < widths.size(); ++cell) {
      if (widths[cell] == 0) continue;
      std::string text = Padded(Clipped(table[i][cell], widths[cell]), widths[cell]);
      if (cell == 2) text = Styled(text, look.style, frame.colors);
      line += "  " + text;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(Clipped(Styled(look.mark, look.style, frame.colors) + line.substr(1), frame.columns - 1));
  }
  return lines;
}

// What matters most when there is no room for all.
int Rank(const json::object& task) {
  const std::string state = CellText(task.at("state"));
  if (state == "RUNNING") return 0;
  if (state.starts_with("BLOCKED") || state == "FAILED") return 1;
  return state == "READY" ? 2 : state == "COMPLETED" ? 4 : 3;
}

std::vector<Row> Chosen(const json::array& tasks, std::size_t most,
                        std::map<std::string, std::size_t>& rest) {
  std::vector<Row> rows;
  if (tasks.size() <= kMostInTree) {
    rows = Tree(tasks).Rows();
  } else {
    for (const json::value& task : tasks) rows.push_back({&task.as_object(), CellText(task.at("task_id"))});
  }
  if (rows.size() <= most) return rows;
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return Rank(*rows[i].task); });
  std::vector<std::size_t> kept(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most));
  for (std::size_t i = most; i < order.size(); ++i) ++rest[StateText(*rows[order[i]].task)];
  std::ranges::sort(kept);
  std::vector<Row> shown;
  for (const std::size_t i : kept) shown.push_back({rows[i].task, CellText(rows[i].task->at("task_id"))});
  return shown;
}

}  // namespace

std::vector<std::string> LiveLines(const LiveFrame& frame) {
  const std::size_t most = frame.rows > kOtherRows + 3 ? frame.rows - kOtherRows : 3;
  std::map<std::string, std::size_t> rest;
  const std::vector<Row> rows = Chosen(frame.status.at("tasks").as_array(), most, rest);
  std::vector<std::string> lines = {
      Clipped(Styled(PlanLine(frame.status), Style::kBold, frame.colors), frame.columns - 1)};
  for (std::string& line : Align(rows, frame)) lines.push_back(std::move(line));
  std::string more;
  for (const auto& [state, count] : rest)
    more += fmt::format("{} {} {}", more.empty() ? "" : ",", count, state);
  if (!more.empty()) lines.push_back(Clipped("  … and" + more, frame.columns - 1));
  const std::size_t first = frame.activity.size() - std::min(frame.activity.size(), kMostActivity);
  for (std::size_t i = first; i < frame.activity.size(); ++i) {
    lines.push_back(Clipped(Styled("  " + frame.activity[i], Style::kDim, frame.colors), frame.columns - 1));
  }
  return lines;
}

}  // namespace agenttalk
