#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "runtime/hub.h"

// What can be asked of a hub, whoever asks: the command line in its own process, or a program through the
// socket. Names and shapes are those of `--json`.
namespace agenttalk {

// The methods `page/…` of the page that this process serves.
using PageMethods = std::function<Result<boost::json::value>(std::string_view, const boost::json::object&)>;

class HubService {
 public:
  // `beside`: the loop runs, and plans are read beside it; for whoever does not wait for one of them alone.
  explicit HubService(Hub& hub, PageMethods page = {}, bool beside = false)
      : hub_(hub), page_(std::move(page)), beside_(beside) {}

  // Whether a hub that is only read can answer this; NOT_FOUND when there is no such method.
  static Result<bool> IsReading(std::string_view method);

  // `done` is called once, with the method's result, when what was asked for is durable.
  using Done = std::function<void(Result<boost::json::value>)>;
  void Call(std::string_view method, const boost::json::object& parameters, Done done);

 private:
  Hub& hub_;
  PageMethods page_;
  bool beside_;
};

}  // namespace agenttalk
