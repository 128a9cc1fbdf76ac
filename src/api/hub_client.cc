#include "api/hub_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "api/hub_caller.h"
#include "base/error.h"

namespace agenttalk {

namespace json = boost::json;

Result<json::value> HubClient::Call(const std::string& method, json::object parameters) {
  boost::asio::io_context loop;
  std::optional<Result<json::value>> result;
  HubCaller(loop, hub_).Call(method, std::move(parameters), [&](Result<json::value> value, HubCaller::Where) {
    result = std::move(value);
  });
  loop.run();
  return *std::move(result);
}

}  // namespace agenttalk
