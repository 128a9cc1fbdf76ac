#include "base/json_number.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace agenttalk {
namespace {

namespace json = boost::json;

__extension__ using Wide = unsigned __int128;

// A number as it is written: digits times a power of ten. The sign does not count here.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
};

Decimal DecimalOf(const json::value& value) {
  if (value.is_uint64()) return {value.get_uint64(), 0};
  if (value.is_int64()) {
    const std::int64_t number = value.get_int64();
    return {number < 0 ? ~static_cast<std::uint64_t>(number) + 1 : static_cast<std::uint64_t>(number), 0};
  }
  // The shortest text that is this number: at most 17 digits.
  const std::string shortest = fmt::format("{}", std::fabs(value.get_double()));
  Decimal decimal;
  bool in_fraction = false;
  for (std::size_t i = 0; i < shortest.size(); ++i) {
    const char c = shortest[i];
    if (c == '.') {
      in_fraction = true;
    } else if (c == 'e') {
      decimal.exponent += std::stoi(shortest.substr(i + 1));
      break;
    } else {
      constexpr std::uint64_t kTen = 10;
      decimal.digits = decimal.digits * kTen + static_cast<std::uint64_t>(c - '0');
      if (in_fraction) --decimal.exponent;
    }
  }
  return decimal;
}

}  // namespace

bool IsWhole(const json::value& value) {
  return value.is_int64() || value.is_uint64() ||
         (value.is_double() && std::isfinite(value.get_double()) &&
          std::trunc(value.get_double()) == value.get_double());
}

long double NumberOf(const json::value& value) {
  if (value.is_int64()) return static_cast<long double>(value.get_int64());
  if (value.is_uint64()) return static_cast<long double>(value.get_uint64());
  return value.get_double();
}

bool IsMultiple(const json::value& value, const json::value& of) {
  Decimal number = DecimalOf(value);
  Decimal part = DecimalOf(of);
  constexpr Wide kTen = 10;
  Wide divisor = part.digits;
  if (divisor == 0) return false;
  for (; part.exponent > number.exponent; --part.exponent) {
    if (divisor > number.digits) return number.digits == 0;
    divisor *= kTen;
  }
  Wide rest = number.digits % divisor;
  for (; number.exponent > part.exponent && rest != 0; --number.exponent) rest = rest * kTen % divisor;
  return rest == 0;
}

}  // namespace agenttalk
