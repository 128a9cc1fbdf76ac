#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/request/model_request.h"
#include "prompts/composer.h"

namespace agenttalk {

// A command that an answer may hold, as far as its form goes.
struct CommandForm {
  struct Argument {
    std::string name;
    bool is_list = false;
    bool required = true;
  };
  std::string name;
  std::vector<Argument> arguments;
};

// The JSON Schema of the answer that a request asks for, for providers that hold a model to one. It says in
// other words what answer_reader.h checks, with what servers have in common: every object is closed and all
// of its fields are required wherever the form is fixed, what may be missing is null (or, in a stage's
// answer, empty), and there are no lengths, and ranges only of scores. So an answer that follows it can still
// break its contract, and every answer is read by the contract alone. A result is a text: an object with
// fields that nobody knows beforehand is what several servers refuse.
//
// `tools` are those the agent has; whether they are named in the text is up to the input.
std::string AnswerSchema(const ComposeInput& input, std::span<const ToolSpec> tools,
                         std::span<const CommandForm> commands);

}  // namespace agenttalk
