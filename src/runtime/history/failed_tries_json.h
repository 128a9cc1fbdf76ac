#pragma once

#include <boost/json.hpp>
#include <vector>

#include "model/events/failed_try.h"
#include "runtime/history/plain_words.h"

namespace agenttalk {

// As `show --json` and `trace --json` print them.
inline boost::json::array FailedTriesJson(const std::vector<FailedTry>& tries) {
  boost::json::array array;
  for (const FailedTry& one : tries) {
    array.push_back(boost::json::object{
        {"after_s", static_cast<double>(one.at_ms) / 1000},
        {"took_s", static_cast<double>(one.took_ms) / 1000},
        {"http_status", one.status == 0 ? boost::json::value() : boost::json::value(one.status)},
        {"message", CleanText(one.message)}});
  }
  return array;
}

}  // namespace agenttalk
