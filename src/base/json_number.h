#pragma once

#include <boost/json/fwd.hpp>

// Numbers of JSON, exactly.
namespace agenttalk {

bool IsWhole(const boost::json::value& value);

// Wide enough for every integer of 64 bits.
long double NumberOf(const boost::json::value& value);

// Exactly, for 0.0075 is 75 times 0.0001, which no division of doubles says.
bool IsMultiple(const boost::json::value& value, const boost::json::value& of);

}  // namespace agenttalk
