#pragma once

#include <boost/json/fwd.hpp>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace agenttalk {

// Asks a hub, whether or not it is being served, and waits for the answer (HubCaller does not wait).
class HubClient {
 public:
  explicit HubClient(std::filesystem::path hub) : hub_(std::move(hub)) {}

  // The result of the method, or its error.
  Result<boost::json::value> Call(const std::string& method, boost::json::object parameters);

 private:
  std::filesystem::path hub_;
};

}  // namespace agenttalk
