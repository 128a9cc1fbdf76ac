#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace agenttalk {

// What a running plan looks like on a terminal of this size: its tasks as a tree, and what was done last.
struct LiveFrame {
  const boost::json::object& status;  // as `status --json`
  const std::vector<std::string>& activity;
  std::size_t columns = 80;
  std::size_t rows = 24;  // of the terminal; the frame stays well below
  double now = 0;         // seconds since 1970
  bool colors = false;
};

std::vector<std::string> LiveLines(const LiveFrame& frame);

}  // namespace agenttalk
