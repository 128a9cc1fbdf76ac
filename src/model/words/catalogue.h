#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/language.h"

// What the engine itself asks people and tells models beside the prompts (prompts/phrases.h), in each
// language. The reasons that it gives are in model/words/reasons.h. A wording is a format with numbered
// arguments, so that a language may order them as it needs.
namespace agenttalk {

enum class Phrase : std::uint8_t {
  // What is to be judged.
  kFile,        // {0} name, {1} bytes, {2} path
  kNotText,     //
  kMoreLines,   // {0} how many
  kChanges,     // {0} added, {1} removed, {2} path of the diff
  kUnchanged,   //
  kBeforeFile,  // {0} what was there before is not text
  // What each choice leads to.
  kApproveLeadsTo,  // {0} what
  kRejectLeadsTo,   // {0} what
  kTextLeadsTo,     // {0} what
  // Gates and results.
  kGate,          // {0} task, {1} plan, {2} agent
  kResultPass,    // {0} task, {1} plan, {2} agent, {3} why a person is asked
  kDoneThen,      // {0} tasks
  kDone,          //
  kGoesBack,      // {0} agent, {1} the how-manieth, {2} of how many
  kFailsNow,      // {0} how often it was rejected
  kNotInTime,     //
  kPersonReject,  // without a text
  // Other questions of tasks and commands.
  kReplan,            // {0} task, {1} plan, {2} why
  kReplanApprove,     //
  kReplanReject,      //
  kOutcome,           // {0} command, {1} tool
  kOutcomeApprove,    //
  kOutcomeReject,     //
  kConfirmedDone,     // what a tool is taken to have said
  kWork,              // {0} task, {1} prompt
  kWorkText,          //
  kWorkReject,        //
  kToolInputText,     //
  kToolInputApprove,  //
  kToolInputReject,   //
  kHelp,              // {0} from, {1} subtask
  kHelpContext,       // {0} text
  kHelpText,          //
  kHelpReject,        // {0} from
  kBudget,            // {0} command, {1} tokens, {2} whose, {3} used
  kBudgetApprove,     //
  kBudgetReject,      //
  kTheHub,            //
  kUsedTokens,        // {0} used, {1} of
  kUsedMoney,         // {0} used, {1} of
  // Alerts.
  kCommandEnded,  // {0} command, {1} agent, {2} message, {3} code
  kNotDelivered,  // {0} file, {1} sender, {2} message, {3} code
  // Goals.
  kCouldNotAnswer,    // {0} stage agent, {1} why
  kAskAgain,          //
  kGiveUp,            //
  kSeesNoWay,         // {0} reason
  kRouteContinue,     // {0} goal
  kRouteMinor,        // {0} goal
  kRouteFull,         // {0} goal
  kRouteNew,          // {0} goal
  kRoutePause,        //
  kRouteResume,       //
  kRouteCancel,       //
  kRouteStatus,       //
  kRouteQuestion,     // {0} what would be done, {1} why a person is asked
  kRouteApprove,      // {0} what would be done
  kRouteReject,       //
  kRouteText,         //
  kPlanQuestion,      // {0} how many tasks, {1} the goal, {2} why a person is asked
  kPlannedTask,       // {0} id, {1} agent or capabilities, {2} description, {3} needs
  kNeeds,             // {0} ids
  kPlanRisk,          // {0} level, {1} description
  kPlanApprove,       //
  kPlanReject,        //
  kSentBackTimes,     // {0} how often, {1} why
  kCapability,        // {0} tasks
  kCapabilityText,    //
  kCapabilityMine,    //
  kCapabilityForce,   // {0} agent, {1} task, {2} lacks
  kToolQuestion,      // {0} agent, {1} tool, {2} task, {3} why a person is asked
  kToolArguments,     // {0} arguments
  kToolApprove,       //
  kToolReject,        // {0} agent
  kClarifyText,       // {0} who
  kFailure,           // {0} what failed
  kFailureApprove,    // {0} tasks
  kFailureReject,     //
  kFailureText,       // {0} tasks
  kRecommended,       // {0} choice
  kCloseApprove,      //
  kCloseReject,       //
  kTryAgain,          //
  kPersonSaidGo,      //
  kAgentAsks,         // its agent wants a person to look
  kHighRisk,          // {0} what
  kUnsure,            // {0} confidence
  kAsksConfirmation,  //
  // What later stages are told: one line each.
  kNoteIntent,        // {0} goal, {1} relation
  kNoteRoute,         // {0} route, {1} why
  kNoteFileNew,       // {0} name
  kNoteFileChanged,   // {0} name
  kNotePlan,          // {0} ids, {1} why
  kNoteFailed,        // {0} stage, {1} reason
  kNoteClarify,       // {0} stage, {1} question
  kNoteApproved,      // {0} what, {1} score, {2} feedback
  kNoteSentBack,      // {0} what, {1} score, {2} feedback
  kNoteDone,          // {0} task, {1} agent, {2} what it made
  kNoteTaskFailed,    // {0} task, {1} agent, {2} reason
  kNoteSkipped,       // {0} task, {1} reason
  kNoteOrchestrator,  // {0} what failed, {1} decision, {2} reason
  kNoteEnd,           // {0} summary
  kNoteRemark,        // {0} text, {1} outcome
  kNotePerson,        // {0} what
  kThePlan,           //
  kResultOf,          // {0} task
  // Person's words, labelled.
  kWordGoal,           // {0} text
  kWordUnderstood,     // {0} text
  kWordClarification,  // {0} asked, {1} text
  kWordRemark,         // {0} text
  kWordPerson,         // {0} text
  // Attempts.
  kLowScore,      // {0} score, {1} pass
  kSentBackBy,    // {0} task
  kReviewerSent,  //
  kRejectedBy,    // by a person
  kSkippedInput,  // {0} task, {1} why
  // Plans and commands.
  kPlanAt,             // {0} revision
  kTaskFinished,       //
  kTaskOpen,           //
  kTaskSkipped,        // {0} why
  kTaskSkippedNow,     //
  kTaskNeeds,          // {0} ids
  kAndMoreTasks,       // {0} how many
  kCommandsDone,       // {0} names
  kNowRevision,        // {0} revision
  kCommandsNot,        // {0} why, {1} the plan
  kYes,                //
  kNo,                 //
  kNobodyAnswered,     //
  kRefusedCall,        //
  kRefusedCallSaying,  // {0} text
  kNobodyDid,          //
  kScoreCriteria,      //
  kCount,
};

std::string_view Wording(Phrase phrase, Language language);

template <typename... Args>
std::string Say(Language language, Phrase phrase, const Args&... args) {
  return fmt::format(fmt::runtime(Wording(phrase, language)), args...);
}

// The description of a built-in tool or thinking command, by its name; `otherwise` where there is none.
std::string_view DescriptionOf(std::string_view name, Language language, std::string_view otherwise);

}  // namespace agenttalk
