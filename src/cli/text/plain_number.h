#pragma once

#include <string>

namespace agenttalk {

// A number as people write it: no exponent, no zeros at its end.
std::string PlainNumber(double number);

}  // namespace agenttalk
