#pragma once

#include "base/error_code.h"

namespace agenttalk {

// What a script learns without reading anything.
enum class ExitCode {
  kDone = 0,
  kWorkFailed = 1,       // it was tried and did not succeed
  kInvalid = 2,          // bad usage or invalid input: nothing was tried
  kWaitingForHuman = 3,  // somebody must answer first
  kEnvironment = 4,      // no hub, provider, disk or permission: nothing could start
};

// The exit code of a verb that ended with this error.
ExitCode ExitCodeOf(ErrorCode code);

}  // namespace agenttalk
