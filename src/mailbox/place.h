#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "mailbox/file_system.h"
#include "model/events/event.h"

// Which folder of the hub means what (docs/formats/hub.md draws the tree).
namespace agenttalk {

enum class Box : std::uint8_t { kInbox, kOutbox, kHumanOutbox };

// A folder that strangers put files into.
struct Place {
  Box box = Box::kInbox;
  AgentId agent;  // empty for the person's
  PlanId plan;    // empty: the box itself, not a plan's folder in it

  bool operator==(const Place&) const = default;
  [[nodiscard]] std::string Path() const;  // relative to the hub
  // The inverse; nothing for any other folder.
  static std::optional<Place> FromPath(std::string_view directory);
};

// Where a command goes that was taken in from this box, for its plan (which its content names).
std::string ProcessedFolder(const Place& place, const PlanId& plan);
// Where refused files go. A file without a plan goes to a folder that no plan can have.
std::string DeadLetterFolder(const PlanId& plan);

// Names of incomplete files (writers publish by rename), of editors' backups, and of our own folders.
bool IsIgnoredName(std::string_view name);

// Commands and messages: small, and JSON.
bool IsCommandName(std::string_view name);
bool IsMessageName(std::string_view name);

[[nodiscard]] FileFingerprint MakeFingerprint(std::string directory, std::string name, const FileStat& stat,
                                              const Digest& sha256);
[[nodiscard]] std::string PathOf(const FileFingerprint& fingerprint);
// Is this still the file that the fingerprint was taken of?
[[nodiscard]] bool IsSameFile(const FileFingerprint& fingerprint, const FileStat& stat);

}  // namespace agenttalk
