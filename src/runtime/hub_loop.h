#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "runtime/hub.h"

// What a hub waits for: for the files that define it alone (hub.cc, hub_loop.cc).
namespace agenttalk {

struct Hub::Loop {
  boost::asio::io_context context{1};
  // The loop ends when it is stopped, never for want of work: between the mark of a wake-up and its post by
  // the commit thread there may be none.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{context.get_executor()};
  boost::asio::steady_timer timer{context};
  boost::asio::posix::stream_descriptor folders{context};
  bool folders_watched = false;
  boost::asio::posix::stream_descriptor models{context};
  std::atomic<bool> woken{false};
};

}  // namespace agenttalk
