#include "mcp/client/server_set.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "mcp/client/remote_server.h"
#include "model/config/mcp_server_config.h"

namespace agenttalk::mcp {
namespace {

// What a program gets to end by itself once its input is closed, and again once it is told with a signal.
constexpr Duration kGrace = std::chrono::milliseconds(500);

}  // namespace

ServerSet::ServerSet(ServerSeams seams, Hooks hooks) : seams_(std::move(seams)), hooks_(std::move(hooks)) {}

ServerSet::~ServerSet() {
  std::vector<std::shared_ptr<RemoteServer>> all;
  for (auto& [name, server] : servers_) all.push_back(server);
  for (auto& [number, leaving] : leaving_) all.push_back(leaving.server);
  for (const auto& server : all) server->Stop();
  const auto wait = [&] {
    const MonotonicTime end = seams_.reactor.Now() + kGrace;
    const auto ended = [&] {
      return std::ranges::all_of(all, [](const auto& one) { return one->HasEnded(); });
    };
    while (!ended() && seams_.reactor.Now() < end) seams_.reactor.WaitAndStep(std::chrono::milliseconds(20));
    return ended();
  };
  if (wait()) return;
  for (const auto& server : all) server->Terminate();
  wait();
}

void ServerSet::Configure(const std::map<std::string, McpServerConfig>& servers) {
  std::vector<std::string> gone;
  for (const auto& [name, server] : servers_) {
    const auto wanted = servers.find(name);
    if (wanted == servers.end() || wanted->second != server->config()) gone.push_back(name);
  }
  for (const std::string& name : gone) Remove(name);
  for (const auto& [name, config] : servers) {
    if (servers_.contains(name)) continue;
    const auto found = [this, name] {
      if (const auto known = servers_.find(name); known != servers_.end()) hooks_.tools(known->second);
    };
    auto server =
        std::make_shared<RemoteServer>(seams_, name, config, RemoteServer::Hooks{found, hooks_.note, [] {}});
    servers_.emplace(name, server);
    server->Start();
  }
}

void ServerSet::Remove(const std::string& name) {
  const auto found = servers_.find(name);
  const std::shared_ptr<RemoteServer> server = std::move(found->second);
  servers_.erase(found);
  hooks_.gone(name);
  server->Stop();
  const std::uint64_t number = ++left_;
  leaving_[number] = {server, seams_.reactor.At(seams_.reactor.Now() + kGrace, [this, number] {
                        leaving_.at(number).server->Terminate();
                        leaving_.erase(number);
                      })};
}

void ServerSet::WaitForStart() {
  const MonotonicTime begin = seams_.reactor.Now();
  const auto waits = [&] {
    return std::ranges::any_of(servers_, [&](const auto& one) {
      return !one.second->has_settled() &&
             seams_.reactor.Now() - begin < one.second->config().startup_timeout;
    });
  };
  while (waits()) seams_.reactor.WaitAndStep(std::chrono::milliseconds(100));
  for (const auto& [name, server] : servers_) {
    if (!server->has_settled())
      hooks_.note("the MCP server " + name + " has not told its tools yet; agents have them when it does");
  }
}

}  // namespace agenttalk::mcp
