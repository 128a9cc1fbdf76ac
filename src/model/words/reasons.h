#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/language.h"

// Why something is so or happened, in a line: what the engine writes into the notes of tasks, the ends of
// commands, plans and questions, and what it tells stages beside the prompts. Questions and their choices are
// in model/words/catalogue.h. Errors that have a code and are for whoever called (a verb, a dropped file) are
// diagnostics, and English as the command line is; what is wrong with a model's answer is in
// model/words/diagnostics.h.
namespace agenttalk {

enum class Reason : std::uint8_t {
  // What becomes of commands and questions.
  kDeadLetterClosed,
  kPlanCancelled,
  kPlanEnded,
  kSuperseded,
  kHigherSeq,
  kToolNeedsNoAnswer,
  kWhatItWaitsFor,
  kFilesOf,
  kAndMore,
  kNotArrived,
  kAttemptTooLong,
  kRetryLetter,
  kResultIsBeside,
  kHubBudgetUsed,
  kPlanBudgetUsed,
  kModelAnswered,
  kTooManyToolRounds,
  kTooManyCommandRounds,
  kToolMayHaveRun,
  kNobodyDidIt,
  kInOrderAgain,
  // Tasks.
  kTheTask,
  kNoScore,
  kScoreTooLow,
  kWaitsForEvidence,
  kNoEvidence,
  kWaitsForApproval,
  kWaitsForReview,
  kPlanRevised,
  kPlanRunAgain,
  kMadeByHand,
  kScoreRange,
  kOr,
  kForOtherScore,
  kForSomeScore,
  kIsVersion,
  kKeptByPolicy,
  kOutputConflict,
  kNotDelivered,
  kTaskDone,
  kFallbackFor,
  kFallbackSpared,
  kDependencyIs,
  kDependencyFailed,
  kTaskFailed,
  kNobodyDelivered,
  kSentBackTooOften,
  kSentBackInVain,
  kSentBack,
  kSentBackBecause,
  kFailedAgain,
  kTriedAgain,
  // Routes and reviews.
  kLeadsTo,
  kGoalIsNew,
  kUnsureRelation,
  kControlUnclear,
  kNothingToControl,
  kScoreIsNoApproval,
  kFixesAreLeft,
  kOnlyAPerson,
  kDoesNotFit,
  kCannotGoTo,
  kGoesTo,
  kNobodyHas,
  kLoad,
  kHasAndLoad,
  kHasItAlready,
  kNoTaskInIt,
  kDependsOnNothing,
  kWaitsForItself,
  kPlannedForGoal,
  kTeamCannot,
  // Goals and remarks.
  kAllDone,
  kGoalRunAgain,
  kGoalStartsOver,
  kGoalEnded,
  kNobodyJudged,
  kNobodyAnswered,
  kPersonRejected,
  kPersonRejectedSaying,
  kNobodyConfirmed,
  kPersonRejectedPlan,
  kNobodyApprovedPlan,
  kPersonRejectedResult,
  kNobodyCan,
  kPersonDecided,
  kRemarkCame,
  kPlanPaused,
  kPlanContinues,
  kPlanIsCancelled,
  kPlanStays,
  kNotPossible,
  kThat,
  kHeeded,
  kOtherBegins,
  kNothingDecided,
  kRevisionOf,
  // What a stage is told of a plan, its files and results.
  kSmallChange,
  kLargeChange,
  kListChanges,
  kListAll,
  kMoreBytes,
  kNotText,
  kBytes,
  kMoreEntries,
  // Agents that plan and ask one another.
  kNothingCame,
  kTaskAbove,
  kAPerson,
  kStep,
  kStepIsRisky,
  kToolIsRisky,
  kNobodyWaits,
  kNobodyWaitsNow,
  kTooLate,
  kNoSuchRequest,
  kOtherWasAsked,
  kAnsweredBefore,
  kNotInTime,
  kRulesUndecided,
  kModelChose,
  kProfileSays,
  kProcedureMatches,
  kNoProcedure,
  kShortTask,
  kCount,
};

std::string_view Wording(Reason reason, Language language);

template <typename... Args>
std::string Say(Language language, Reason reason, const Args&... args) {
  return fmt::format(fmt::runtime(Wording(reason, language)), args...);
}

}  // namespace agenttalk
