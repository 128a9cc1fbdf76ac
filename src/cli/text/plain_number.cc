#include "cli/text/plain_number.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace agenttalk {

std::string PlainNumber(double number) {
  // Nine digits behind the point show every amount that is counted; what is smaller counts as nothing.
  std::string text = fmt::format("{:.{}f}", number, std::abs(number) < 1 ? 9 : 4);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace agenttalk
