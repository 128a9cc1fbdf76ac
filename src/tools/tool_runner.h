#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/config/risk_level.h"
#include "model/config/skill_summary.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/request/model_request.h"

// Acting in the world for a model. Everything happens on the loop's thread.
namespace agenttalk {

// What a tool wants to know of a person before it can go on.
struct ToolQuestion {
  std::string key;  // the same question of the same call is asked once, however often the call is repeated
  std::string text;
};

struct ToolAnswer {
  enum class Decision : unsigned char { kNone, kApprove, kReject };
  Decision decision = Decision::kNone;  // kNone and no text: nobody answered
  std::string text;
};

// Asks a person. The answer may come after days, and never if the call is given up.
using ToolAsk = std::function<void(ToolQuestion, std::function<void(const ToolAnswer&)>)>;

struct ToolInvocation {
  AgentId agent;
  PlanId plan;
  CommandId command;
  std::string tool;
  std::string arguments;  // JSON text
  std::string idempotency_key;
  Duration timeout{};
  // The command's folder as the record has it: what lies in inputs/, and what earlier tools left in outputs/.
  std::vector<NamedContent> inputs = {};
  std::vector<NamedContent> outputs = {};
  // The bytes of a recorded content; from any thread.
  std::function<Result<std::string>(const Content&)> read = {};
  ToolAsk ask = {};  // none: nobody can be asked
  // How far it is, in words; seldom. None: nobody wants to know.
  std::function<void(const std::string&)> progress = {};
};

// A file that a tool left in outputs/; its name is relative to it.
struct LeftFile {
  std::string name;
  std::string bytes;
};

// What running it gave. OUTCOME_UNKNOWN: it may or may not have taken effect.
struct ToolOutcomeReport {
  std::string output;
  std::optional<Error> error;
  std::vector<LeftFile> left = {};        // new, or with other content than before
  std::vector<std::string> removed = {};  // was in outputs/ before, and is not any more
};

// A call that is under way. Destroying it gives up waiting: the callback is not called any more.
class RunningTool {
 public:
  RunningTool() = default;
  virtual ~RunningTool() = default;
  RunningTool(const RunningTool&) = delete;
  RunningTool& operator=(const RunningTool&) = delete;
};

class ToolRunner {
 public:
  using Done = std::function<void(ToolOutcomeReport)>;

  virtual ~ToolRunner() = default;
  // The tools that an agent may use.
  [[nodiscard]] virtual std::vector<ToolSpec> ToolsOf(const AgentId& agent) const = 0;
  // The skills that its prompt lists.
  [[nodiscard]] virtual std::vector<SkillSummary> SkillsOf(const AgentId& /*agent*/) const { return {}; }
  // Why this call must not be made; nothing when it may.
  [[nodiscard]] virtual std::optional<Error> Refuse(const AgentId& agent, const ToolCall& call) const = 0;
  // True: running it twice does no harm.
  [[nodiscard]] virtual bool IsIdempotent(const std::string& tool) const = 0;
  // High: a person has to agree to each call.
  [[nodiscard]] virtual RiskLevel RiskOf(const std::string& /*tool*/) const { return RiskLevel::kLow; }
  // Whether the agent has tools that work in the command's folder: then its prompt names paths.
  [[nodiscard]] virtual bool HasFolder(const AgentId& agent) const { return !ToolsOf(agent).empty(); }
  // `done` is called exactly once unless the call is given up; it may be called before this returns (then
  // null is returned).
  [[nodiscard]] virtual std::unique_ptr<RunningTool> Run(ToolInvocation invocation, Done done) = 0;
};

// For agents without tools.
class NoTools final : public ToolRunner {
 public:
  [[nodiscard]] std::vector<ToolSpec> ToolsOf(const AgentId& /*agent*/) const override { return {}; }
  [[nodiscard]] std::optional<Error> Refuse(const AgentId& /*agent*/, const ToolCall& call) const override {
    return Error{ErrorCode::kPermissionDenied, "there is no tool " + call.name, {}};
  }
  [[nodiscard]] bool IsIdempotent(const std::string& /*tool*/) const override { return true; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(ToolInvocation invocation, Done done) override {
    done({{}, Error{ErrorCode::kPermissionDenied, "there is no tool " + invocation.tool, {}}});
    return nullptr;
  }
};

}  // namespace agenttalk
