#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace agenttalk {

// What the tools of MCP servers said of themselves when they were first seen, by digest
// (.agenttalk/mcp_tools.json). A tool that says something else later is another tool: it is not offered until
// a person has accepted it
// (`agenttalk trust`).
class McpPins {
 public:
  enum class Verdict : std::uint8_t { kNew, kSame, kChanged };
  struct Change {
    std::string server;
    std::string tool;
    std::string description;  // as it is now
  };

  explicit McpPins(const std::filesystem::path& hub);

  // A tool that was seen once.
  struct Known {
    std::string server;
    std::string tool;
    bool changed = false;  // and waits for a person
  };
  [[nodiscard]] std::vector<Known> All() const;

  // Reads what is on the disk; nothing there, or nothing readable, is no pins.
  void Load();
  // Whether somebody else has written it since.
  [[nodiscard]] bool IsStale() const;
  // A new tool is pinned; one that changed is noted. Save makes it durable.
  Verdict Judge(const std::string& server, const std::string& tool, const std::string& digest,
                const std::string& description);
  // Tools that changed and wait for a person.
  [[nodiscard]] std::vector<Change> Changes() const;
  void AcceptChanges();
  Result<void> Save();

 private:
  struct Pin {
    std::string digest;
    std::string seen = {};         // another digest; empty: it is as it was
    std::string description = {};  // of what was seen
  };

  const std::filesystem::path file_;
  std::map<std::pair<std::string, std::string>, Pin> pins_;
  std::filesystem::file_time_type written_{};
  bool changed_ = false;
};

}  // namespace agenttalk
