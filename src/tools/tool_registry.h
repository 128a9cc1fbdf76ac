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
#include "model/config/agent_profile.h"
#include "model/config/skill_summary.h"
#include "model/request/model_request.h"
#include "tools/folder_call.h"
#include "tools/schema_validator.h"
#include "tools/skill.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"
#include "tools/workspace.h"

namespace agenttalk {

// The tools there are, and who may use which: a call is checked against the agent's profile and the tool's
// schema before it runs, and what comes back is kept within the limit.
class ToolRegistry final : public ToolRunner {
 public:
  explicit ToolRegistry(std::size_t output_limit);
  ~ToolRegistry() override;

  // A second tool of a name replaces the first.
  void Add(std::unique_ptr<Tool> tool);
  // Commands have folders here, which are as recorded while tools work in them.
  void KeepFolders(std::unique_ptr<Workspace> workspace, PostToLoop post);
  // What the agent may use from now on: the tools that its profile lists, and its skills.
  void Admit(const AgentProfile& profile, std::vector<Skill> skills = {});

  [[nodiscard]] bool Has(std::string_view tool) const { return Find(tool) != nullptr; }
  [[nodiscard]] std::vector<ToolSpec> ToolsOf(const AgentId& agent) const override;
  [[nodiscard]] std::vector<SkillSummary> SkillsOf(const AgentId& agent) const override;
  [[nodiscard]] std::optional<Error> Refuse(const AgentId& agent, const ToolCall& call) const override;
  [[nodiscard]] bool IsIdempotent(const std::string& tool) const override;
  [[nodiscard]] bool HasFolder(const AgentId& agent) const override;
  [[nodiscard]] std::unique_ptr<RunningTool> Run(ToolInvocation invocation, Done done) override;

 private:
  struct Entry {
    std::unique_ptr<Tool> tool;
    mutable std::optional<SchemaValidator> arguments;  // made of the schema at the first call
  };
  struct Admission {
    std::vector<std::string> tools;
    std::set<std::string, std::less<>> permissions;
    std::vector<Skill> skills;
  };

  [[nodiscard]] const Entry* Find(std::string_view tool) const;
  [[nodiscard]] std::string Unknown(const Admission& admission, const std::string& name) const;
  static std::optional<Error> CheckArguments(const Entry& entry, const std::string& arguments);

  std::size_t output_limit_;
  std::unique_ptr<Workspace> workspace_;  // none: tools find the folder as it is
  PostToLoop post_;
  std::map<std::string, Entry, std::less<>> tools_;
  std::map<AgentId, Admission> agents_;
};

}  // namespace agenttalk
