#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "runtime/hub.h"

// What can be asked of a hub, whoever asks: the command line in its own process, or a program through the
// socket. Names and shapes are those of `--json`.
namespace agenttalk {

class HubService {
 public:
  explicit HubService(Hub& hub) : hub_(hub) {}

  // Whether a hub that is only read can answer this; NOT_FOUND when there is no such method.
  static Result<bool> IsReading(std::string_view method);

  // `done` is called once, with the method's result, when what was asked for is durable.
  using Done = std::function<void(Result<boost::json::value>)>;
  void Call(std::string_view method, const boost::json::object& parameters, Done done);

 private:
  Hub& hub_;
};

}  // namespace agenttalk
