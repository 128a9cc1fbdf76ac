#pragma once

#include <span>
#include <string>

#include "model/answer/role_request.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"

namespace agenttalk {

// What the model is asked instead of the command's result: which strategy to take (kStrategy), or the steps
// of a plan (kInternalPlan), with what such a plan may name.
struct RoleTerms {
  bool may_reject = false;  // another agent asks for it
  bool has_folder = false;  // tools work in the command's folder
};
std::string RoleInstruction(const RoleRequest& role, std::span<const ToolSpec> tools, RoleTerms terms,
                            Language language);

// A command's prompt with what one step of its plan is to bring.
std::string StepPrompt(std::string_view prompt, const RoleRequest& role, Language language);

}  // namespace agenttalk
