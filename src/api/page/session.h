#pragma once

#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl.hpp>
#include <memory>

#include "api/page/gate.h"
#include "api/page/stream.h"

namespace agenttalk {

// Serves one connection to the page until it ends. The connection keeps itself alive by what it waits for.
void ServePageSession(boost::beast::tcp_stream stream, std::shared_ptr<PageGate> gate,
                      std::shared_ptr<EventFrames> frames);
void ServePageSession(boost::beast::ssl_stream<boost::beast::tcp_stream> stream,
                      std::shared_ptr<PageGate> gate, std::shared_ptr<EventFrames> frames);

}  // namespace agenttalk
