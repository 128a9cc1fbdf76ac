#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/time.h"
#include "base/timer.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/session.h"
#include "mcp/message.h"

namespace agenttalk::mcp {

// A call that is under way, over as many rounds as its server needs.
struct Session::OpenCall {
  // Something that a person is asked: for the next round of the call, or in answer to a request of a legacy
  // server.
  struct Question {
    std::string key;             // in inputRequests
    std::optional<RpcId> reply;  // the request of a legacy server
    boost::json::object params;
  };

  CallNumber number = 0;
  RemoteTool tool;
  boost::json::object arguments;
  CallLimits limits;
  CallListener* listener = nullptr;
  std::int64_t id = 0;  // of the round's request; 0: none is open
  int rounds = 0;
  bool listed_again = false;  // because the server missed headers
  boost::json::object responses = {};
  std::optional<std::string> request_state = {};
  std::deque<Question> questions = {};
  bool asking = false;
  MonotonicTime asked{};
  MonotonicTime heard{};  // the last sign of life
  MonotonicTime due{};    // of all of it
  std::unique_ptr<Registration> timer = {};
};

}  // namespace agenttalk::mcp
