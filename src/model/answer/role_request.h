#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/request/model_request.h"

namespace agenttalk {

// A thing that a plan may name, as a model is told of it.
struct Offer {
  std::string name;
  std::string description;
};

// What an agent asks its model beside, or instead of, the command's own request: which strategy to take, a
// plan, one step of it.
struct RoleRequest {
  Stage stage = Stage::kCommand;          // kStrategy, kInternalPlan, or kCommand for a step
  std::string step;                       // what the step asks for
  std::vector<NamedContent> results;      // of earlier steps, that the step refers to
  bool score = false;                     // this step's answer is scored
  std::vector<std::string> outputs = {};  // what the whole command is to make
  std::vector<std::string> to_give = {};  // of these, what this step's answer has to give
  std::string score_criteria = {};        // by which the command's result is scored; empty: it is not
  std::vector<Offer> actions;
  std::vector<Offer> sops;
  std::vector<Offer> colleagues;  // by capabilities
};

}  // namespace agenttalk
