#pragma once

#include <string>
#include <string_view>

namespace agenttalk {

// A time as `--json` prints it, for people: "2026-11-16 09:40:12", local. What is no time stays as it is.
std::string LocalTimeText(std::string_view rfc3339);

}  // namespace agenttalk
