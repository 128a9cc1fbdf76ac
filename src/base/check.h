#pragma once

namespace agenttalk {

// Ends the process with the place and the condition; never reachable from outside input.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace agenttalk

// Always on: for the program's own mistakes, never for what comes in from outside.
#define CHECK(condition) \
  (static_cast<bool>(condition) ? void(0) : ::agenttalk::CheckFailed(#condition, __FILE__, __LINE__))
