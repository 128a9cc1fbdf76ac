#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/timer.h"
#include "mcp/client/remote_server.h"
#include "model/config/mcp_server_config.h"

namespace agenttalk::mcp {

// The servers of a hub.
class ServerSet {
 public:
  struct Hooks {
    std::function<void(const std::shared_ptr<RemoteServer>&)> tools;  // they are known, or have changed
    std::function<void(const std::string& server)> gone;              // it is not configured any more
    std::function<void(const std::string&)> note;                     // for people
  };

  ServerSet(ServerSeams seams, Hooks hooks);
  // Their programs are dead afterwards.
  ~ServerSet();
  ServerSet(const ServerSet&) = delete;
  ServerSet& operator=(const ServerSet&) = delete;

  // These are to run from now on. One whose settings have changed is started anew.
  void Configure(const std::map<std::string, McpServerConfig>& servers);
  // Waits until every server has its tools or has failed, each no longer than its startup_timeout. Only
  // before anything else uses the loop.
  void WaitForStart();

  [[nodiscard]] const std::map<std::string, std::shared_ptr<RemoteServer>>& servers() const {
    return servers_;
  }

 private:
  void Remove(const std::string& name);

  const ServerSeams seams_;
  const Hooks hooks_;
  std::map<std::string, std::shared_ptr<RemoteServer>> servers_;
  struct Leaving {
    std::shared_ptr<RemoteServer> server;
    std::unique_ptr<Registration> timer;
  };
  std::map<std::uint64_t, Leaving> leaving_;  // asked to end
  std::uint64_t left_ = 0;
};

}  // namespace agenttalk::mcp
