#include "cli/exit_code.h"

#include "base/error_code.h"

namespace agenttalk {

ExitCode ExitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kWaitTimeout:
    case ErrorCode::kAttemptTimeout:
    case ErrorCode::kModelOutputInvalid:
    case ErrorCode::kModelFailed:
    case ErrorCode::kScriptNoAnswer:
    case ErrorCode::kOutcomeUnknown:
    case ErrorCode::kBudgetExceeded:
    case ErrorCode::kCancelled:
    case ErrorCode::kAnswerLate:
    case ErrorCode::kStateConflict:
    case ErrorCode::kVersionConflict:
    case ErrorCode::kInternal:
      return ExitCode::kWorkFailed;
    case ErrorCode::kHubMissing:
    case ErrorCode::kHubLocked:
    case ErrorCode::kProviderMissing:
    case ErrorCode::kJournalDamaged:
    case ErrorCode::kJournalVersion:
    case ErrorCode::kFenced:
    case ErrorCode::kDiskFull:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kIo:
      return ExitCode::kEnvironment;
    default:  // the many ways in which what was given can be wrong
      return ExitCode::kInvalid;
  }
}

}  // namespace agenttalk
