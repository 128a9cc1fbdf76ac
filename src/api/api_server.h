#pragma once

#include <memory>

#include "api/hub_service.h"
#include "base/error.h"
#include "runtime/hub.h"

namespace agenttalk {

// The control interface: HTTP/1.1 and JSON on the Unix socket `.agenttalk/agenttalk.sock`, for the owner of
// the hub alone. `POST /v1/<method>` with the parameters as an object; the answer is the method's result, or
// {"error":{"code","message","hint"}}. Runs on the hub's loop.
class ApiServer {
 public:
  // A socket that a dead process left is replaced; a living one would hold the hub's lock.
  static Result<std::unique_ptr<ApiServer>> Open(Hub& hub, PageMethods page = {});
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

 private:
  struct State;
  explicit ApiServer(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace agenttalk
