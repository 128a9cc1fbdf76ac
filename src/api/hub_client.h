#pragma once

#include <boost/json/fwd.hpp>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace agenttalk {

// Asks a hub, whether or not it is being served: through the server when there is one, otherwise in this
// process, which takes possession of the hub for as long as it needs to record something.
class HubClient {
 public:
  explicit HubClient(std::filesystem::path hub) : hub_(std::move(hub)) {}

  // The result of the method, or its error. Requests that change something carry a client id of their own,
  // so that one whose answer got lost is not done twice.
  Result<boost::json::value> Call(const std::string& method, boost::json::object parameters);

 private:
  Result<boost::json::value> CallHere(const std::string& method, const boost::json::object& parameters);

  std::filesystem::path hub_;
};

}  // namespace agenttalk
