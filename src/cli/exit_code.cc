#include "cli/exit_code.h"

#include <algorithm>
#include <array>

#include "base/error_code.h"

namespace agenttalk {
namespace {

constexpr std::array kWorkFailed = {
    ErrorCode::kWaitTimeout,    ErrorCode::kAttemptTimeout,  ErrorCode::kModelOutputInvalid,
    ErrorCode::kModelFailed,    ErrorCode::kScriptNoAnswer,  ErrorCode::kOutcomeUnknown,
    ErrorCode::kBudgetExceeded, ErrorCode::kCancelled,       ErrorCode::kAnswerLate,
    ErrorCode::kStateConflict,  ErrorCode::kVersionConflict, ErrorCode::kInternal};
constexpr std::array kEnvironment = {
    ErrorCode::kHubMissing,     ErrorCode::kHubLocked,        ErrorCode::kProviderMissing,
    ErrorCode::kJournalDamaged, ErrorCode::kJournalVersion,   ErrorCode::kFenced,
    ErrorCode::kDiskFull,       ErrorCode::kPermissionDenied, ErrorCode::kIo};

}  // namespace

ExitCode ExitCodeOf(ErrorCode code) {
  if (std::ranges::find(kWorkFailed, code) != kWorkFailed.end()) return ExitCode::kWorkFailed;
  if (std::ranges::find(kEnvironment, code) != kEnvironment.end()) return ExitCode::kEnvironment;
  return ExitCode::kInvalid;  // the many ways in which what was given can be wrong
}

}  // namespace agenttalk
