#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace agenttalk {

// An MCP server whose tools agents may use (`mcp_servers:` of agenttalk.yaml): a program, or an address.
struct McpServerConfig {
  std::string command;  // a program; looked for in PATH
  std::vector<std::string> args;
  std::map<std::string, std::string>
      env;          // what it sees besides the usual variables; ${NAME} is a variable's value
  std::string cwd;  // relative to the hub; empty: the hub
  bool sandbox = false;
  bool network = false;                  // of a program in the sandbox
  std::vector<std::string> read_paths;   // what it may read in the sandbox besides the system
  std::vector<std::string> write_paths;  // and write

  std::string url;
  std::map<std::string, std::string> headers;  // sent with every request; ${NAME} is a variable's value
  std::string bearer_token_env;                // the name of the variable, never a token
  std::string ca_file;                         // relative to the hub

  std::vector<std::string> tools;                       // globs; none: all
  Duration timeout = std::chrono::minutes(1);           // of a call, without a word from the server
  Duration startup_timeout = std::chrono::seconds(30);  // how long a start waits for its tools

  bool operator==(const McpServerConfig&) const = default;
};

}  // namespace agenttalk
