#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "base/error.h"

namespace boost::asio {
class io_context;
}

namespace agenttalk {

// Asks a hub, whether or not it is being served: through the server when there is one, otherwise in this
// process, which takes possession of the hub for as long as it needs to record something. Any number of calls
// may be under way on the loop.
class HubCaller {
 public:
  // Who did what was asked for.
  enum class Where : std::uint8_t { kServer, kHere };
  using Done = std::function<void(Result<boost::json::value>, Where)>;

  HubCaller(boost::asio::io_context& loop, std::filesystem::path hub) : loop_(loop), hub_(std::move(hub)) {}

  // Requests that change something carry a client id of their own, so that one whose answer got lost is not
  // done twice.
  void Call(const std::string& method, boost::json::object parameters, Done done);

 private:
  boost::asio::io_context& loop_;
  const std::filesystem::path hub_;
};

}  // namespace agenttalk
