#pragma once

#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl.hpp>
#include <memory>

#include "api/page/access.h"
#include "api/page/gate.h"

namespace agenttalk {

using McpPost = boost::beast::http::request<boost::beast::http::string_body>;

// Answers one POST to /mcp and closes the connection: with one JSON message, or, when there is something to
// say before the answer or it takes its time, with a stream of events that ends with the answer. A client
// that closes the connection cancels its request.
void ServeMcp(boost::beast::tcp_stream stream, McpPost post, std::shared_ptr<PageGate> gate, PageRole role);
void ServeMcp(boost::beast::ssl_stream<boost::beast::tcp_stream> stream, McpPost post,
              std::shared_ptr<PageGate> gate, PageRole role);

}  // namespace agenttalk
