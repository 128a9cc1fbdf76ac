#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "mcp/server/exchange.h"
#include "mcp/server/hub_calls.h"

namespace agenttalk::mcp {

// What a tool says: an object by its output schema, and links to what can be read.
struct ToolAnswer {
  boost::json::object content;
  boost::json::array links = {};
};

// One call of a tool. It lives as long as somebody may still finish it.
class ToolCall {
 public:
  ToolCall(std::shared_ptr<HubCalls> hub, std::shared_ptr<Exchange> exchange, boost::json::object arguments)
      : hub_(std::move(hub)), exchange_(std::move(exchange)), arguments_(std::move(arguments)) {}

  [[nodiscard]] HubCalls& hub() const { return *hub_; }
  [[nodiscard]] Exchange& exchange() const { return *exchange_; }
  [[nodiscard]] const boost::json::object& arguments() const { return arguments_; }
  [[nodiscard]] std::string Text(std::string_view name) const;  // empty: not given
  [[nodiscard]] bool Flag(std::string_view name) const;
  [[nodiscard]] double Number(std::string_view name, double otherwise) const;

  void Finish(ToolAnswer answer) const;
  // The tool did not do it: a result that says so, which the model can read and react to.
  void Fail(const Error& error) const;

 private:
  std::shared_ptr<HubCalls> hub_;
  std::shared_ptr<Exchange> exchange_;
  const boost::json::object arguments_;
};
using ToolCallPtr = std::shared_ptr<const ToolCall>;

enum class ArgumentKind : std::uint8_t { kText, kFlag, kSeconds, kCount, kObject, kFiles };

struct ToolArgument {
  std::string_view name;
  ArgumentKind kind = ArgumentKind::kText;
  bool required = false;
  std::string_view help;
  std::vector<std::string_view> choices = {};
};

struct Tool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  // The method of the control interface that decides who may call it.
  std::string_view method;
  std::vector<ToolArgument> arguments;
  // Members of its answer that are always there, with their JSON types.
  std::vector<std::pair<std::string_view, std::string_view>> answers;
  bool reads = false;
  bool destroys = false;
  void (*run)(const ToolCallPtr&);
};

// Every tool, in the order in which a client lists them.
std::span<const Tool> Tools();
const Tool* FindTool(std::string_view name);
// As `tools/list` shows it.
boost::json::object ToolJson(const Tool& tool);
// FIELD_MISSING, TYPE_MISMATCH, VALUE_INVALID or UNKNOWN_FIELD, with what to do.
Result<void> CheckArguments(const Tool& tool, const boost::json::object& arguments);

// Files given as {"name", "content" or "content_base64"}, as the control interface takes them.
boost::json::array FilesForHub(const boost::json::object& arguments);

void RunGoalTool(const ToolCallPtr& call);
void RunPlanTool(const ToolCallPtr& call);
void StatusTool(const ToolCallPtr& call);
void ShowTool(const ToolCallPtr& call);
void SayTool(const ToolCallPtr& call);
void QuestionsTool(const ToolCallPtr& call);
void AnswerTool(const ToolCallPtr& call);
void ControlTool(const ToolCallPtr& call);
void SendCommandTool(const ToolCallPtr& call);
void AgentsTool(const ToolCallPtr& call);
void PlansTool(const ToolCallPtr& call);

}  // namespace agenttalk::mcp
