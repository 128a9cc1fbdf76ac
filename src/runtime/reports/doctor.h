#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace agenttalk {

// One thing that was looked at, and how it is.
struct Finding {
  enum class Level : std::uint8_t { kOk, kWarning, kError };
  std::string check;  // "config", "lock", "permissions", "disk", "notifications", "leftovers", …
  Level level = Level::kOk;
  std::string message;
  std::string hint;
};

// Looks at what a hub depends on: its configuration, who holds it, permissions, space, notifications, what a
// crash left behind. Changes nothing, takes no possession and needs neither journal nor server.
std::vector<Finding> ExamineSurroundings(const std::filesystem::path& hub);

}  // namespace agenttalk
