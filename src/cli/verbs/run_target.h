#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "cli/verb.h"

namespace agenttalk {

// What the one word after `run` stands for.
struct RunTarget {
  enum class Kind : std::uint8_t { kGoal, kPlan, kFile };
  Kind kind = Kind::kGoal;
  std::string text;  // the goal, the plan's full id, or the path
};

// A word that is a file or a plan is never taken for a goal, and neither is one that looks like a misspelt
// file or plan: a goal costs money.
Result<RunTarget> FindRunTarget(const Invocation& call, const std::filesystem::path& hub,
                                const std::string& word);

}  // namespace agenttalk
