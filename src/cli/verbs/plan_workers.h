#pragma once

#include <sys/types.h>

#include <boost/asio/signal_set.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace boost::asio {
class io_context;
}

namespace agenttalk {

// Processes `agenttalk run PLAN`, one a plan at most, that do the work when nobody serves the hub. They end
// by themselves when their plan has ended or waits for people, and with this process in any case.
class PlanWorkers {
 public:
  // `options` are passed on to `run`.
  PlanWorkers(boost::asio::io_context& loop, std::filesystem::path hub, std::vector<std::string> options);
  ~PlanWorkers();
  PlanWorkers(const PlanWorkers&) = delete;
  PlanWorkers& operator=(const PlanWorkers&) = delete;

  [[nodiscard]] bool any() const { return !workers_.empty(); }
  // A worker that is just ending is followed by another one.
  void Start(const std::string& plan);
  // Why the last worker of the plan could not work; nothing: it could, or it still does.
  [[nodiscard]] std::optional<Error> Obstacle(const std::string& plan) const;

 private:
  struct Worker {
    std::string plan;
    int said = -1;  // a file in memory: what it wrote to stderr
    bool again = false;
  };

  void Spawn(const std::string& plan);
  void Watch();
  void Reap();
  void Ended(const Worker& worker, int status);

  const std::filesystem::path hub_;
  const std::vector<std::string> options_;
  boost::asio::signal_set ends_;
  std::map<pid_t, Worker> workers_;
  std::map<std::string, Error> obstacles_;
};

}  // namespace agenttalk
