#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agenttalk {

using Duration = std::chrono::microseconds;
// Wall-clock time in microseconds since 1970 (UTC): what the journal stores.
using Timestamp = std::chrono::sys_time<Duration>;

// "2026-11-15T12:01:41.000123Z"; the fraction is left out when it is zero.
std::string ToRfc3339(Timestamp time);
std::optional<Timestamp> ParseRfc3339(std::string_view text);

// "50ms", "10s", "10m", "2h", "1d", or a bare number of seconds ("90", "1.5").
std::optional<Duration> ParseDuration(std::string_view text);

// Short, for people: "50ms", "1.5s", "2m 5s".
std::string ToText(Duration duration);

}  // namespace agenttalk
