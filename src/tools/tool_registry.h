#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json_schema.h"
#include "model/config/agent_profile.h"
#include "model/config/risk_level.h"
#include "model/config/skill_summary.h"
#include "model/request/model_request.h"
#include "tools/folder_call.h"
#include "tools/skill.h"
#include "tools/tool.h"
#include "tools/tool_origin.h"
#include "tools/tool_runner.h"
#include "tools/workspace.h"

namespace agenttalk {

// A tool as people are shown it.
struct ToolListing {
  ToolSpec spec;
  ToolOrigin origin;
  bool idempotent = false;
  std::string remark = {};                  // what it does
  std::string permission = {};              // that it needs besides being listed; empty: none
  bool permitted = true;                    // whether the agent has it
  std::string obstacle = {};                // why it cannot be run here at present; empty: it can
  std::vector<std::string> unchecked = {};  // parts of its schema that are not checked here
};

// The tools there are, from every source (tools/tool.h), and who may use which: a call is checked against the
// agent's profile and the tool's schema before it runs, and what comes back is kept within the limit.
class ToolRegistry final : public ToolRunner {
 public:
  explicit ToolRegistry(std::size_t output_limit);
  ~ToolRegistry() override;

  // One that comes with the program; a second one of a name replaces the first.
  void Add(std::unique_ptr<Tool> tool);
  // Everything that this source has from now on. The problems, for people, are tools that cannot be used:
  // their name is no tool's name or another source's, or what they say of their arguments cannot be checked.
  std::vector<std::string> SetSource(const ToolOrigin& origin, std::vector<std::unique_ptr<Tool>> tools);
  // Commands have folders here, which are as recorded while tools work in them.
  void KeepFolders(std::unique_ptr<Workspace> workspace, PostToLoop post);
  // What the agent may use from now on: the tools that its profile lists, and its skills.
  void Admit(const AgentProfile& profile, std::vector<Skill> skills = {});

  [[nodiscard]] bool Has(std::string_view tool) const { return Find(tool) != nullptr; }
  [[nodiscard]] std::vector<ToolSpec> ToolsOf(const AgentId& agent) const override;
  // What its profile grants it, in that order; of globs by name.
  [[nodiscard]] std::vector<ToolListing> ListOf(const AgentId& agent) const;
  // Whether its profile lists a tool of this name, which need not exist.
  [[nodiscard]] bool IsGranted(const AgentId& agent, std::string_view tool) const;
  [[nodiscard]] std::vector<SkillSummary> SkillsOf(const AgentId& agent) const override;
  [[nodiscard]] std::optional<Error> Refuse(const AgentId& agent, const ToolCall& call) const override;
  [[nodiscard]] bool IsIdempotent(const std::string& tool) const override;
  [[nodiscard]] RiskLevel RiskOf(const std::string& tool) const override;
  [[nodiscard]] bool HasFolder(const AgentId& agent) const override;
  [[nodiscard]] std::unique_ptr<RunningTool> Run(ToolInvocation invocation, Done done) override;

 private:
  struct Entry {
    std::shared_ptr<Tool> tool;  // kept by calls that are under way when its source has it no more
    ToolOrigin origin;
    mutable std::optional<JsonSchema> arguments = {};  // made of the schema at the first call
  };
  struct Admission {
    std::vector<std::string> tools;  // names and globs
    std::set<std::string, std::less<>> permissions;
    std::vector<Skill> skills;
  };

  [[nodiscard]] const Entry* Find(std::string_view tool) const;
  // Of the tools there are, those that it names.
  [[nodiscard]] std::vector<const Entry*> GrantedTo(const Admission& admission) const;
  [[nodiscard]] static bool Grants(const Admission& admission, std::string_view tool);
  [[nodiscard]] std::string Unknown(const Admission& admission, const std::string& name) const;
  // What its arguments are checked by; null: nothing can be.
  static const JsonSchema* SchemaOf(const Entry& entry);
  static std::optional<Error> CheckArguments(const Entry& entry, const std::string& arguments);

  std::size_t output_limit_;
  std::unique_ptr<Workspace> workspace_;  // none: tools find the folder as it is
  PostToLoop post_;
  std::map<std::string, Entry, std::less<>> tools_;
  std::map<AgentId, Admission> agents_;
};

}  // namespace agenttalk
