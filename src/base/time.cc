#include "base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace agenttalk {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Takes pieces off the front of a text; one failure makes the whole reading fail.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  int Digits(std::size_t count) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!AtDigit()) return Spoil();
      value = value * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    return value;
  }
  void Literal(std::string_view either) {
    if (text_.empty() || either.find(text_.front()) == std::string_view::npos) {
      Spoil();
      return;
    }
    text_.remove_prefix(1);
  }
  bool Skip(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  // The digits after the point, as microseconds; digits beyond the sixth are dropped.
  std::int64_t Fraction() {
    if (!AtDigit()) return Spoil();
    std::int64_t value = 0;
    std::int64_t unit = 100000;
    for (; AtDigit(); text_.remove_prefix(1), unit /= 10) value += unit * (text_.front() - '0');
    return value;
  }
  [[nodiscard]] bool Finished() const { return ok_ && text_.empty(); }

 private:
  [[nodiscard]] bool AtDigit() const {
    return !text_.empty() && text_.front() >= '0' && text_.front() <= '9';
  }
  int Spoil() {
    ok_ = false;
    return 0;
  }

  std::string_view text_;
  bool ok_ = true;
};

std::optional<minutes> ReadOffset(Scanner& scanner) {
  if (scanner.Skip('Z') || scanner.Skip('z')) return minutes(0);
  const bool west = scanner.Skip('-');
  if (!west) scanner.Literal("+");
  const int hour = scanner.Digits(2);
  scanner.Literal(":");
  const int minute = scanner.Digits(2);
  if (hour > 23 || minute > 59) return std::nullopt;
  const minutes offset = hours(hour) + minutes(minute);
  return west ? -offset : offset;
}

struct Unit {
  std::string_view name;
  double microseconds;
};
constexpr std::array<Unit, 6> kUnits = {
    {{"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 60e6}, {"h", 3600e6}, {"d", 86400e6}}};

// A unit is never followed by another letter, so the letters up to the next digit or blank are its name.
std::optional<double> TakeUnit(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_of("0123456789. "), text.size());
  const std::string_view name = text.substr(0, length);
  text.remove_prefix(length);
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit.microseconds;
  }
  return std::nullopt;
}

std::optional<double> TakeNumber(std::string_view& text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

constexpr std::size_t kLongestRfc3339 = 27;  // 2026-01-01T00:00:00.000000Z

// By hand: every message carries its time, and formatting it took longer than hashing it.
void AppendDigits(std::int64_t value, std::size_t count, std::string& out) {
  out.append(count, '0');
  for (std::size_t i = out.size(); value > 0 && count > 0; value /= 10, --count) {
    out[--i] = static_cast<char>('0' + value % 10);
  }
}

std::string TwoUnits(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{} {}{}", large, large_unit, small, small_unit);
}

}  // namespace

std::string ToRfc3339(Timestamp time) {
  const auto day = floor<days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  const int year = static_cast<int>(date.year());
  std::string text;
  text.reserve(kLongestRfc3339);
  if (year >= 0 && year <= 9999) {
    AppendDigits(year, 4, text);
  } else {
    fmt::format_to(std::back_inserter(text), "{:04}", year);
  }
  const auto append = [&text](char separator, std::int64_t value, std::size_t digits) {
    text.push_back(separator);
    AppendDigits(value, digits, text);
  };
  append('-', static_cast<unsigned>(date.month()), 2);
  append('-', static_cast<unsigned>(date.day()), 2);
  append('T', clock.hours().count(), 2);
  append(':', clock.minutes().count(), 2);
  append(':', clock.seconds().count(), 2);
  if (const auto fraction = clock.subseconds().count(); fraction != 0) append('.', fraction, 6);
  text.push_back('Z');
  return text;
}

std::optional<Timestamp> ParseRfc3339(std::string_view text) {
  Scanner scanner(text);
  const std::chrono::year year(scanner.Digits(4));
  scanner.Literal("-");
  const std::chrono::month month(static_cast<unsigned>(scanner.Digits(2)));
  scanner.Literal("-");
  const std::chrono::day day(static_cast<unsigned>(scanner.Digits(2)));
  scanner.Literal("Tt ");
  const int hour = scanner.Digits(2);
  scanner.Literal(":");
  const int minute = scanner.Digits(2);
  scanner.Literal(":");
  const int second = scanner.Digits(2);
  const std::int64_t fraction = scanner.Skip('.') ? scanner.Fraction() : 0;
  const std::optional<minutes> offset = ReadOffset(scanner);
  const std::chrono::year_month_day date(year, month, day);
  constexpr int kLeapSecond = 60;
  if (!scanner.Finished() || !offset || !date.ok() || hour > 23 || minute > 59 || second > kLeapSecond) {
    return std::nullopt;
  }
  return std::chrono::sys_days(date) + hours(hour) + minutes(minute) + seconds(second) + Duration(fraction) -
         *offset;
}

std::optional<Duration> ParseDuration(std::string_view text) {
  constexpr double kHundredYears = 100 * 365.25 * 86400e6;
  double total = 0;
  bool bare = false;
  for (int parts = 0; !text.empty() || parts == 0; ++parts) {
    if (bare) return std::nullopt;
    const std::optional<double> number = TakeNumber(text);
    if (!number) return std::nullopt;
    bare = text.empty() && parts == 0;
    const std::optional<double> unit = bare ? std::optional(1e6) : TakeUnit(text);
    if (!unit) return std::nullopt;
    total += *number * *unit;
    if (!(total <= kHundredYears)) return std::nullopt;
    if (!text.empty() && text.front() == ' ') {
      text.remove_prefix(1);
      if (text.empty()) return std::nullopt;
    }
  }
  return Duration(std::llround(total));
}

std::string ToText(Duration duration) {
  if (duration < Duration::zero()) {
    return fmt::format("-{}", ToText(duration == Duration::min() ? Duration::max() : -duration));
  }
  const std::int64_t count = duration.count();
  if (count < 1000) return count == 0 ? "0s" : fmt::format("{}us", count);
  if (count < 1000000) return fmt::format("{}ms", count / 1000);
  if (duration < minutes(1)) {
    const std::int64_t tenths = count / 100000;
    return tenths % 10 == 0 ? fmt::format("{}s", tenths / 10)
                            : fmt::format("{}.{}s", tenths / 10, tenths % 10);
  }
  const std::int64_t total = count / 1000000;
  if (duration < hours(1)) return TwoUnits(total / 60, 'm', total % 60, 's');
  if (duration < days(1)) return TwoUnits(total / 3600, 'h', total / 60 % 60, 'm');
  return TwoUnits(total / 86400, 'd', total / 3600 % 24, 'h');
}

}  // namespace agenttalk
