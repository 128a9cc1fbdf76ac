#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "api/hub_client.h"
#include "base/error.h"

namespace agenttalk {

// What happens in a plan, as it happens: the server keeps its answer back until there is something. Without
// one, the journal is looked at now and then.
class EventFollower {
 public:
  // Begins with what comes after this event; without one, with what comes from now on. `words`: each says
  // what happened in words too.
  EventFollower(const std::filesystem::path& hub, std::string plan, std::optional<std::uint64_t> after = {},
                bool words = false)
      : client_(hub), plan_(std::move(plan)), after_(after), words_(words) {}

  // Fixes from when on: what happens after this call is not missed.
  Result<void> Begin();
  // The next events; none when there was nothing for `longest`.
  Result<boost::json::array> Next(std::chrono::seconds longest);

 private:
  HubClient client_;
  std::string plan_;
  std::optional<std::uint64_t> after_;
  bool words_;
};

}  // namespace agenttalk
