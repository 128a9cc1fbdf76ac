#pragma once

#include <memory>

#include "tools/sandboxed_program.h"
#include "tools/tool.h"

namespace agenttalk {

// run_program: a program that the model names, in the sandbox.
std::unique_ptr<Tool> MakeProgramTool(ProgramToolOptions options);

}  // namespace agenttalk
