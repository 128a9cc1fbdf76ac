#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "model/config/hub_config.h"

// What somebody else's hub could do with this user's rights, and what the user has said about it. The record
// is kept in the user's state folder, outside of every hub: a hub cannot trust itself.
namespace agenttalk {

// One thing that a hub does with what belongs to its user.
struct TrustNeed {
  std::string
      kind;  // "program", "key_variable", "key_file", "tool", "mcp_program", "mcp_variable", "mcp_server"
  std::string provider;  // who needs it: a provider, a tool, an MCP server
  std::string what;      // the program, the variable, the file
  std::string where;     // the server it is sent to; for a program or tool: its files in the hub, by digest

  bool operator==(const TrustNeed&) const = default;
};

// In order of name. Nothing: the hub never asks.
std::vector<TrustNeed> NeedsOf(const HubConfig& config, const std::filesystem::path& hub);
std::string Describe(const TrustNeed& need);
Digest DigestOf(const std::vector<TrustNeed>& needs);

// $XDG_STATE_HOME/agenttalk, else ~/.local/state/agenttalk; empty where there is no home.
std::filesystem::path StateFolder();

// Whether the user has trusted this folder with exactly these things.
bool IsTrusted(const std::filesystem::path& hub, const std::vector<TrustNeed>& needs);
Result<void> RecordTrust(const std::filesystem::path& hub, const std::vector<TrustNeed>& needs);
// False: there was no record.
Result<bool> ForgetTrust(const std::filesystem::path& hub);

// Whether the hub's journal was begun by somebody else, or by nobody that can be told. A hub without a
// journal is nobody else's.
bool HasForeignJournal(const std::filesystem::path& hub);
// From now on the journal is this user's. PERMISSION_DENIED: the state folder cannot be written.
Result<void> AdoptJournal(const std::filesystem::path& hub);

}  // namespace agenttalk
