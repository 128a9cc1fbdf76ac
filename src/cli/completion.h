#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/verb.h"

namespace agenttalk {

enum class Shell { kBash, kZsh, kFish };

Result<Shell> ShellNamed(std::string_view name);

// A script that, sourced by the shell, completes verbs, options, choices and file names.
std::string CompletionScript(std::span<const Verb> verbs, Shell shell);

}  // namespace agenttalk
