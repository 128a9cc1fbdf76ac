#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "engine/command/parts.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/registry.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/role_request.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "prompts/composer.h"
#include "runtime/core/content_store.h"
#include "tools/tool_runner.h"

namespace agenttalk {

// What a provider does beyond answering in text.
struct ProviderAbilities {
  bool tools = false;   // it has tool calls of its own; where it has not, tools are told of in the text
  bool schema = false;  // it can hold an answer to a JSON Schema
};

// Composes requests from what the journal holds: the agent's recorded profile, the command's texts, the bound
// inputs. What a provider is called and which model it takes is part of the profile.
class ProfileComposer final : public RequestComposer {
 public:
  // What a call of so many input tokens to a provider may cost, answer included: what a budget must hold. An
  // error: it must not be made. `max_tokens` bounds the answer; 0: as the provider does.
  using Estimate = std::function<Result<Cost>(const std::string& provider, const std::string& model,
                                              std::uint64_t tokens, std::uint32_t max_tokens)>;

  using Abilities = std::function<ProviderAbilities(const std::string& provider)>;

  // The prompt of a stage as this agent is asked it (runtime/calls/stage_prompt_file.h).
  using StagePrompts = std::function<Result<std::string>(const AgentId& agent, Stage stage)>;

  // `fence_key` is a secret of the hub: nobody outside can foresee the marks around inputs.
  ProfileComposer(ContentStore& contents, const ToolRunner& tools, const std::string& fence_key,
                  Language language, Estimate estimate, StagePrompts stage_prompts = {},
                  Abilities abilities = {});

  Result<Composed> Compose(const PlanState& plan, const CommandRecord& record, const AgentSettings& agent,
                           std::uint32_t model_call, const Keep& keep) override;
  Result<Composed> ComposeRole(const PlanState& plan, const CommandRecord& record, const AgentSettings& agent,
                               const RoleRequest& role, std::uint32_t model_call, const Keep& keep) override;
  Result<std::string> Read(const Content& content) override;
  ToolRequest CheckTool(const AgentId& agent, std::string tool,
                        std::optional<std::string> arguments) override;
  void Offer(const ThinkingRegistry& thinking, const CommandParts& parts) override {
    thinking_ = &thinking;
    parts_ = &parts;
  }
  // The providers have changed: what calls cost and what providers can do from now on.
  void Rate(Estimate estimate, Abilities abilities) {
    estimate_ = std::move(estimate);
    abilities_ = std::move(abilities);
  }
  void ForgetKept() override { sheets_.clear(); }

 private:
  // What a profile's requests have in common, kept by the profile's digest.
  struct Sheet {
    AgentProfile profile;
    SharedContent system;
  };
  Result<Sheet*> SheetOf(const AgentSettings& agent, const Keep& keep);
  Result<Composed> ComposeFirst(const PlanState& plan, const CommandRecord& record,
                                const AgentSettings& agent, const Sheet& sheet, std::uint32_t model_call,
                                const RoleRequest* role, const Keep& keep);
  Result<Composed> ComposeAny(const PlanState& plan, const CommandRecord& record, const AgentSettings& agent,
                              const RoleRequest* role, std::uint32_t model_call, const Keep& keep);
  // Fills the stage's prompt in; what of it is to be kept with the request.
  struct Rendered {
    std::string text;    // for the user message
    std::string system;  // for the system message
    Digest content;
    std::vector<std::string> warnings;
  };
  Result<Rendered> RenderStage(const AgentId& agent, const CommandBrief& brief);
  // The schema of the answer that the input asks for.
  [[nodiscard]] std::string SchemaOf(const ComposeInput& input, const AgentSettings& agent,
                                     const std::vector<ToolSpec>& tools) const;
  Result<StoredRequest> ComposeNext(const PlanState& plan, const CommandRecord& record,
                                    std::uint32_t model_call);
  // What an agent with these permissions may issue, and the plan, where it may change it.
  void AddThinking(const PlanState& plan, const AgentSettings& agent, std::string& commands,
                   std::string& plan_text) const;

  ContentStore& contents_;
  const ToolRunner& tools_;
  const HmacKey fence_key_;
  const Language language_;
  Estimate estimate_;
  const ThinkingRegistry* thinking_ = nullptr;  // of the engine that asks
  const CommandParts* parts_ = nullptr;
  const StagePrompts stage_prompts_;
  Abilities abilities_;
  std::unordered_map<Digest, Sheet> sheets_;
};

}  // namespace agenttalk
