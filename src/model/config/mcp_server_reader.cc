#include "model/config/mcp_server_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/time.h"
#include "model/config/mcp_server_config.h"
#include "model/config/provider_reader.h"
#include "model/config/tool_names.h"
#include "model/reading/object_reader.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

constexpr const char* kTokenHint = "put it into an environment variable, and write \"${NAME}\"";

bool IsVariableName(std::string_view name) {
  return !name.empty() && (name.front() < '0' || name.front() > '9') && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool IsHeaderToken(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string ToLower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

bool IsOneLine(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; });
}

void ReadVariables(ObjectReader& reader, McpServerConfig& server) {
  reader.Object("env", [&](ObjectReader& env) {
    env.AllowOthers();
    for (const auto& member : env.object()) {
      const std::string_view name = member.key();
      std::string value;
      if (!env.String(name, value)) continue;
      if (!IsVariableName(name)) {
        env.Error(name, ErrorCode::kValueInvalid, "this is not the name of a variable",
                  "letters, digits and '_', not beginning with a digit");
      } else if (value.find('\0') != std::string::npos) {
        env.Error(name, ErrorCode::kValueInvalid, "a value has no NUL character",
                  "pass bytes in a file, and its path here");
      } else {
        server.env[std::string(name)] = std::move(value);
      }
    }
  });
}

void ReadServerHeaders(ObjectReader& reader, McpServerConfig& server) {
  constexpr std::array kOwnHeaders = {
      "host"sv,       "content-length"sv,       "content-type"sv, "accept"sv,           "mcp-session-id"sv,
      "mcp-method"sv, "mcp-protocol-version"sv, "mcp-name"sv,     "transfer-encoding"sv};
  constexpr std::array kSecretHeaders = {"authorization"sv, "x-api-key"sv, "api-key"sv,
                                         "proxy-authorization"sv};
  reader.Object("headers", [&](ObjectReader& headers) {
    headers.AllowOthers();
    for (const auto& member : headers.object()) {
      const std::string_view name = member.key();
      const std::string lower = ToLower(name);
      std::string value;
      if (!headers.String(name, value)) continue;
      if (!IsHeaderToken(name) || std::ranges::find(kOwnHeaders, lower) != kOwnHeaders.end()) {
        headers.Error(name, ErrorCode::kValueInvalid, "this header cannot be set",
                      "leave it out; what the protocol needs is sent by the program");
      } else if (!IsOneLine(value)) {
        headers.Error(name, ErrorCode::kValueInvalid, "a header's value is one line of text",
                      "remove the line break");
      } else if (std::ranges::find(kSecretHeaders, lower) != kSecretHeaders.end() &&
                 value.find("${") == std::string::npos) {
        headers.Error(name, ErrorCode::kValueInvalid, "keys do not belong into this file", kTokenHint);
      } else {
        server.headers[lower] = std::move(value);
      }
    }
  });
}

void ReadProgram(ObjectReader& reader, McpServerConfig& server) {
  reader.Text("command", server.command);
  reader.Strings("args", server.args);
  const bool has_nul = std::ranges::any_of(
      server.args, [](const std::string& one) { return one.find('\0') != std::string::npos; });
  if (has_nul)
    reader.Error("args", ErrorCode::kValueInvalid, "an argument contains a NUL character", "remove it");
  ReadVariables(reader, server);
  ReadPath(reader, "cwd", server.cwd);
  reader.Boolean("sandbox", server.sandbox);
  reader.Boolean("network", server.network);
  reader.Texts(Field("read_paths").Hint("folders and files, from the root"), server.read_paths);
  reader.Texts(Field("write_paths").Hint("folders, from the root"), server.write_paths);
  for (const char* key : {"network", "read_paths", "write_paths"}) {
    if (reader.Has(key) && !server.sandbox)
      reader.Error(key, ErrorCode::kValueInvalid, "counts in the sandbox alone",
                   "write `sandbox: true` beside it");
  }
  for (const auto* paths : {&server.read_paths, &server.write_paths}) {
    const bool unclear = std::ranges::any_of(*paths, [](const std::string& one) {
      return !one.starts_with('/') || (one + "/").find("/../") != std::string::npos;
    });
    if (unclear)
      reader.Error(paths == &server.read_paths ? "read_paths" : "write_paths", ErrorCode::kValueInvalid,
                   "must be paths from the root, without \"..\"", "e.g. /srv/docs");
  }
}

void ReadAddress(ObjectReader& reader, McpServerConfig& server) {
  if (reader.Text("url", server.url)) {
    const bool http = server.url.starts_with("http://") || server.url.starts_with("https://");
    if (!http || !IsOneLine(server.url) || server.url.find(' ') != std::string::npos)
      reader.Error("url", ErrorCode::kValueInvalid, "must begin with http:// or https://",
                   "e.g. https://example.org/mcp");
    if (server.url.find('@') < server.url.find('/', 8))
      reader.Error("url", ErrorCode::kValueInvalid, "passwords do not belong into an address", kTokenHint);
  }
  ReadServerHeaders(reader, server);
  if (reader.Text("bearer_token_env", server.bearer_token_env) && !IsVariableName(server.bearer_token_env))
    reader.Error("bearer_token_env", ErrorCode::kValueInvalid, "this is not the name of a variable",
                 "the token is in the environment; write the name of its variable here");
  ReadPath(reader, "ca_file", server.ca_file);
  if (!server.bearer_token_env.empty() && server.headers.contains("authorization"))
    reader.Error("bearer_token_env", ErrorCode::kValueInvalid, "the headers have an authorization already",
                 "leave one of the two out");
}

// What belongs to programs or to addresses alone.
void RefuseOfOtherKind(ObjectReader& reader, bool is_http) {
  constexpr std::array kPrograms = {"args"sv,    "env"sv,        "cwd"sv,        "sandbox"sv,
                                    "network"sv, "read_paths"sv, "write_paths"sv};
  constexpr std::array kAddresses = {"headers"sv, "bearer_token_env"sv, "ca_file"sv};
  const auto refuse = [&](std::string_view key) {
    if (!reader.Has(key)) return;
    reader.Error(key, ErrorCode::kValueInvalid,
                 is_http ? "belongs to a server that is a program" : "belongs to a server behind an address",
                 is_http ? "leave it out, or write `command` instead of `url`"
                         : "leave it out, or write `url` instead of `command`");
    (void)reader.Value(key);  // it is known
  };
  if (is_http) {
    std::ranges::for_each(kPrograms, refuse);
  } else {
    std::ranges::for_each(kAddresses, refuse);
  }
}

template <typename T>
void AddMember(json::object& object, std::string_view key, const T& value) {
  if (!value.empty()) object[key] = value;
}

void AddStrings(json::object& object, std::string_view key, const std::vector<std::string>& values) {
  if (!values.empty()) object[key] = json::array(values.begin(), values.end());
}

void AddStringMap(json::object& object, std::string_view key,
                  const std::map<std::string, std::string>& values) {
  json::object map;
  for (const auto& [name, value] : values) map[name] = value;
  if (!map.empty()) object[key] = std::move(map);
}

void AddPeriod(json::object& object, std::string_view key, Duration value, Duration standard) {
  if (value != standard) object[key] = std::chrono::duration<double>(value).count();
}

}  // namespace

void ReadMcpServer(ObjectReader& reader, const std::string& name, McpServerConfig& server) {
  constexpr std::size_t kLongestServerName = 32;
  if (!IsToolName(name) || name.size() > kLongestServerName || name.find("__") != std::string::npos) {
    reader.Error({}, ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot be the name of an MCP server", name),
                 "at most 32 letters, digits, '_' and '-', without two '_' in a row");
  }
  constexpr std::array<std::pair<std::string_view, bool>, 4> kTypes = {
      {{"stdio", false}, {"http", true}, {"streamable-http", true}, {"streamableHttp", true}}};
  reader.RefuseOthers();
  bool is_http = reader.Has("url") && !reader.Has("command");
  if (reader.Choice<bool>("type", kTypes, is_http) && is_http == reader.Has("command"))
    reader.Error("type", ErrorCode::kValueInvalid, "contradicts the other settings",
                 "a program has `command`, a server behind an address has `url`");
  if (reader.Has("command") == reader.Has("url")) {
    reader.Error({}, ErrorCode::kFieldMissing, "a server has either a command or a url",
                 "`command: npx` with `args: […]`, or `url: https://…`");
    // What was misspelt is told too.
    McpServerConfig unused;
    ReadAddress(reader, unused);
    ReadProgram(reader, unused);
    for (const char* key : {"tools", "timeout", "startup_timeout"}) (void)reader.Value(key);
    return;
  }
  RefuseOfOtherKind(reader, is_http);
  if (is_http) {
    ReadAddress(reader, server);
  } else {
    ReadProgram(reader, server);
  }
  reader.Texts(Field("tools").Hint("names or globs of the server's own tools, e.g. [\"read_*\"]"),
               server.tools);
  ReadPositivePeriod(reader, "timeout", server.timeout);
  ReadPositivePeriod(reader, "startup_timeout", server.startup_timeout);
}

json::object McpServersJson(const std::map<std::string, McpServerConfig>& servers) {
  const McpServerConfig standard;
  json::object object;
  for (const auto& [name, server] : servers) {
    json::object one;
    AddMember(one, "command", server.command);
    AddStrings(one, "args", server.args);
    AddStringMap(one, "env", server.env);
    AddMember(one, "cwd", server.cwd);
    if (server.sandbox) one["sandbox"] = true;
    if (server.network) one["network"] = true;
    AddStrings(one, "read_paths", server.read_paths);
    AddStrings(one, "write_paths", server.write_paths);
    AddMember(one, "url", server.url);
    AddStringMap(one, "headers", server.headers);
    AddMember(one, "bearer_token_env", server.bearer_token_env);
    AddMember(one, "ca_file", server.ca_file);
    AddStrings(one, "tools", server.tools);
    AddPeriod(one, "timeout", server.timeout, standard.timeout);
    AddPeriod(one, "startup_timeout", server.startup_timeout, standard.startup_timeout);
    object[name] = std::move(one);
  }
  return object;
}

}  // namespace agenttalk
