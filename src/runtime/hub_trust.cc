#include "runtime/hub_trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/json.h"
#include "base/posix_root.h"
#include "base/time.h"
#include "journal/durable_file.h"
#include "llm/endpoint.h"
#include "model/config/hub_config.h"
#include "model/config/hub_tool.h"
#include "model/config/mcp_server_config.h"
#include "runtime/hub_home.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kLargestRecord = std::size_t{64} << 10U;
constexpr std::size_t kLargestProgram = std::size_t{16} << 20U;
constexpr std::size_t kLargestToolFile = std::size_t{256} << 20U;

std::string ServerOf(const ProviderConfig& provider) {
  return provider.base_url.empty() ? VendorUrl(provider.kind) : provider.base_url;
}

// The hub's own files among a program's arguments, by what is in them: a script that is changed is another
// program.
std::string OwnFiles(const std::vector<std::string>& argv, const fs::path& hub) {
  const auto root = PosixRoot::Open(hub.string());
  std::string found;
  for (const std::string& argument : argv) {
    std::string_view path = argument;
    const std::string prefix = hub.string() + "/";
    if (path.starts_with(prefix)) path.remove_prefix(prefix.size());
    if (path.starts_with("./")) path.remove_prefix(2);
    if (!root || path.empty() || path.starts_with('/')) continue;
    const auto bytes = root->ReadFile(std::string(path), kLargestProgram);
    if (bytes) found += fmt::format("{}{} {}", found.empty() ? "" : ", ", path, Sha256(*bytes).Hex());
  }
  return found;
}

void AddNeeds(const std::string& name, const ProviderConfig& provider, const fs::path& hub,
              std::vector<TrustNeed>& needs) {
  if (provider.kind == ProviderKind::kScripted) return;
  if (provider.kind == ProviderKind::kExec) {
    std::string program;
    for (const std::string& part : provider.argv) program += (program.empty() ? "" : " ") + part;
    for (const std::string& variable : provider.env) program += " $" + variable;
    needs.push_back({"program", name, program, OwnFiles(provider.argv, hub)});
    return;
  }
  if (!provider.api_key_env.empty())
    needs.push_back({"key_variable", name, provider.api_key_env, ServerOf(provider)});
  if (!provider.api_key_file.empty())
    needs.push_back({"key_file", name, provider.api_key_file, ServerOf(provider)});
}

// Everything in a folder that programs see, by what is in it.
void HashFolder(const PosixRoot& root, const std::string& folder, int depth, Sha256Stream& digest) {
  constexpr int kDeepest = 32;
  for (const std::string& name : root.NamesIn(folder)) {
    const std::string path = folder + "/" + name;
    const auto bytes = root.ReadFile(path, kLargestToolFile);
    digest.Update(fmt::format("{} {}\n", path, bytes ? Sha256(*bytes).Hex() : "-"));
    if (!bytes && depth < kDeepest) HashFolder(root, path, depth + 1, digest);
  }
}

void AddNeeds(const std::string& name, const HubToolConfig& tool, const fs::path& hub,
              std::vector<TrustNeed>& needs) {
  std::string program;
  for (const std::string& part : tool.command) program += (program.empty() ? "" : " ") + part;
  for (const std::string& variable : tool.env) program += " $" + variable;
  if (tool.network) program += ", with network";
  std::string files;
  const auto root = PosixRoot::Open(hub.string());
  if (tool.UsesToolsFolder() && root) {
    Sha256Stream digest;
    HashFolder(*root, kToolsFolder, 0, digest);
    files = fmt::format("{}/ {}", kToolsFolder, digest.Finish().Hex());
  }
  needs.push_back({"tool", name, program, files});
}

// The variables that a setting names as ${NAME}.
std::vector<std::string> VariablesIn(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at + 2)) {
    const std::size_t end = text.find('}', at);
    if (end != std::string::npos) names.push_back(text.substr(at + 2, end - at - 2));
  }
  return names;
}

void AddMcpNeeds(const std::string& name, const McpServerConfig& server, const fs::path& hub,
                 std::vector<TrustNeed>& needs) {
  if (!server.command.empty()) {
    std::vector<std::string> argv = {server.command};
    argv.insert(argv.end(), server.args.begin(), server.args.end());
    std::string program = server.sandbox ? "in the sandbox:" : "";
    for (const std::string& part : argv) program += (program.empty() ? "" : " ") + part;
    for (const auto& [variable, value] : server.env) program += fmt::format(" {}={}", variable, value);
    if (!server.cwd.empty()) program += " in " + server.cwd;
    if (server.network) program += ", with the network";
    for (const std::string& path : server.read_paths) program += ", reads " + path;
    for (const std::string& path : server.write_paths) program += ", writes " + path;
    needs.push_back({"mcp_program", name, program, OwnFiles(argv, hub)});
    return;
  }
  std::vector<std::string> variables;
  for (const auto& [header, value] : server.headers) {
    for (std::string& variable : VariablesIn(value)) variables.push_back(std::move(variable));
  }
  if (!server.bearer_token_env.empty()) variables.push_back(server.bearer_token_env);
  for (const std::string& variable : variables) needs.push_back({"mcp_variable", name, variable, server.url});
  // Also without a key: what agents read here would be sent there.
  if (variables.empty()) needs.push_back({"mcp_server", name, "", server.url});
}

bool BelongsToUser(const FileDescriptor& file) {
  struct stat status{};
  return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Only what this user wrote counts.
std::string ReadOwn(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid() || !BelongsToUser(file)) return {};
  return ReadFileUpTo(path, kLargestRecord).value_or(std::string());
}

Result<fs::path> MakeStateFolder(const char* part) {
  const fs::path folder = StateFolder();
  if (folder.empty()) {
    return Fail(ErrorCode::kPermissionDenied, "there is no folder where trust could be recorded",
                "set XDG_STATE_HOME or HOME");
  }
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  const fs::path wanted = *part == '\0' ? folder : folder / part;
  for (const fs::path& one : {folder, wanted}) {
    if (::mkdir(one.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
      return Fail(ErrorCode::kPermissionDenied, fmt::format("{}: {}", one.string(), std::strerror(errno)),
                  "set XDG_STATE_HOME to a folder that you may write to");
    }
  }
  return wanted;
}

std::string CanonicalPath(const fs::path& hub) {
  std::error_code ignored;
  const fs::path path = fs::canonical(hub, ignored);
  return path.empty() ? hub.string() : path.string();
}

fs::path RecordOf(const fs::path& hub, const fs::path& folder) {
  return folder / (Sha256(CanonicalPath(hub)).Hex() + ".json");
}

// Of several processes that make a secret at once the first one's is everybody's: a journal signed with one
// that another replaced would be a stranger's. A file that holds none is replaced.
Result<std::string> KeepFirst(const fs::path& file, const std::string& secret) {
  const std::string own = fmt::format("{}.{}", file.string(), ::getpid());
  TRY(WriteFileDurably(own + ".tmp", own, secret));
  if (::link(own.c_str(), file.c_str()) == 0 || ReadOwn(file).size() == kSecretBytes) {
    ::unlink(own.c_str());
    TRY(SyncDirectory(file.parent_path()));
  } else if (::rename(own.c_str(), file.c_str()) != 0) {
    ::unlink(own.c_str());
    return FailErrno("rename to " + file.string());
  }
  std::string kept = ReadOwn(file);
  if (kept.size() == kSecretBytes) return kept;
  return Fail(ErrorCode::kPermissionDenied, file.string() + " cannot be read back",
              "set XDG_STATE_HOME to a folder that you may write to");
}

// What only this user knows; made when it is first needed.
Result<std::string> OwnSecret(bool make) {
  const fs::path file = StateFolder() / "origin.key";
  std::string secret = StateFolder().empty() ? std::string() : ReadOwn(file);
  if (secret.size() == kSecretBytes) return secret;
  if (!make) return Fail(ErrorCode::kNotFound, "there is no secret yet");
  TRY(MakeStateFolder(""));
  secret.assign(kSecretBytes, '\0');
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
    return FailErrno("getrandom");
  return KeepFirst(file, secret);
}

fs::path OriginFile(const fs::path& hub) {
  return HomeOf(hub) / "origin";
}

std::string OriginMark(const std::string& secret, const std::string& key) {
  return HmacKey(secret).CodeOf(key).Hex() + "\n";
}

}  // namespace

std::vector<TrustNeed> NeedsOf(const HubConfig& config, const fs::path& hub) {
  std::vector<TrustNeed> needs;
  for (const auto& [name, provider] : config.providers) AddNeeds(name, provider, hub, needs);
  for (const auto& [name, tool] : config.tools) AddNeeds(name, tool, hub, needs);
  for (const auto& [name, server] : config.mcp_servers) AddMcpNeeds(name, server, hub, needs);
  return needs;
}

std::string Describe(const TrustNeed& need) {
  if (need.kind == "program")
    return fmt::format("provider {} starts a program: {}", need.provider, need.what);
  if (need.kind == "tool")
    return fmt::format("tool {} starts a program in the sandbox: {}", need.provider, need.what);
  if (need.kind == "mcp_program")
    return fmt::format("the MCP server {} is a program that is started: {}", need.provider, need.what);
  if (need.kind == "mcp_variable")
    return fmt::format("the MCP server {} gets the value of the variable {}, sent to {}", need.provider,
                       need.what, need.where);
  if (need.kind == "mcp_server")
    return fmt::format("the MCP server {} gets what agents give its tools, sent to {}", need.provider,
                       need.where);
  const bool file = need.kind == "key_file";
  return fmt::format("provider {} sends {} {} to {}", need.provider,
                     file ? "the contents of the file" : "the value of the variable", need.what, need.where);
}

Digest DigestOf(const std::vector<TrustNeed>& needs) {
  json::array list;
  for (const TrustNeed& need : needs) list.push_back({need.kind, need.provider, need.what, need.where});
  return Sha256(CanonicalJson(list));
}

fs::path StateFolder() {
  const auto from = [](const char* name) {
    const char* value = std::getenv(name);
    // A relative folder would be another one in every directory, among them a stranger's.
    return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
  };
  if (const fs::path state = from("XDG_STATE_HOME"); !state.empty()) return state / "agenttalk";
  fs::path home = from("HOME");
  if (home.empty()) {
    const passwd* user = ::getpwuid(::geteuid());
    if (user == nullptr || user->pw_dir == nullptr || *user->pw_dir != '/') return {};
    home = user->pw_dir;
  }
  return home / ".local" / "state" / "agenttalk";
}

bool IsTrusted(const fs::path& hub, const std::vector<TrustNeed>& needs) {
  if (needs.empty()) return true;
  if (StateFolder().empty()) return false;
  const auto record = ParseJson(ReadOwn(RecordOf(hub, StateFolder() / "trusted")));
  if (!record || !record->is_object()) return false;
  const json::value* digest = record->as_object().if_contains("digest");
  return digest != nullptr && digest->is_string() && digest->as_string() == DigestOf(needs).Hex();
}

Result<void> RecordTrust(const fs::path& hub, const std::vector<TrustNeed>& needs) {
  const fs::path file = RecordOf(hub, TRY(MakeStateFolder("trusted")));
  json::array shown;
  for (const TrustNeed& need : needs) shown.emplace_back(Describe(need));
  const json::object record{
      {"hub", CanonicalPath(hub)},
      {"digest", DigestOf(needs).Hex()},
      {"at", ToRfc3339(std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now()))},
      {"needs", std::move(shown)}};
  return WriteFileDurably(fmt::format("{}.{}", file.string(), ::getpid()), file, PrettyJson(record));
}

Result<bool> ForgetTrust(const fs::path& hub) {
  if (StateFolder().empty()) return false;
  const fs::path file = RecordOf(hub, StateFolder() / "trusted");
  if (::unlink(file.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return FailErrno("remove " + file.string());
}

bool HasForeignJournal(const fs::path& hub) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(HomeOf(hub) / "journal.db", ignored))) return false;
  const auto secret = OwnSecret(false);
  const auto key = ReadFileUpTo(HomeOf(hub) / "fence.key", kLargestRecord);
  const auto mark = ReadFileUpTo(OriginFile(hub), kLargestRecord);
  return !secret || !key || !mark || *mark != OriginMark(*secret, *key);
}

Result<void> AdoptJournal(const fs::path& hub) {
  const std::string key = TRY(FenceKey(hub));
  const std::string mark = OriginMark(TRY(OwnSecret(true)), key);
  const fs::path file = OriginFile(hub);
  if (const auto known = ReadFileUpTo(file, kLargestRecord); known && *known == mark) return {};
  return WriteFileDurably(file.string() + ".tmp", file, mark);
}

}  // namespace agenttalk
