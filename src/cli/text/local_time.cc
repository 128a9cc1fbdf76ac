#include "cli/text/local_time.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <string>
#include <string_view>

#include "base/time.h"

namespace agenttalk {

std::string LocalTimeText(std::string_view rfc3339) {
  const auto time = ParseRfc3339(rfc3339);
  if (!time) return std::string(rfc3339);
  const std::time_t seconds =
      std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::seconds>(*time));
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return std::string(rfc3339);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", local.tm_year + 1900, local.tm_mon + 1,
                     local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace agenttalk
