#pragma once

#include <string>

namespace agenttalk {

// What an agent's prompt says of a skill; the rest is read when it is needed.
struct SkillSummary {
  std::string name;
  std::string description;
};

}  // namespace agenttalk
