#pragma once

#include "model/answer/agent_output.h"
#include "model/reading/spelling.h"

namespace agenttalk {

inline constexpr Spellings<IntentAction, 6> kIntentActions{{{"create", IntentAction::kCreate},
                                                            {"modify", IntentAction::kModify},
                                                            {"query", IntentAction::kQuery},
                                                            {"cancel", IntentAction::kCancel},
                                                            {"continue", IntentAction::kContinue},
                                                            {"clarify", IntentAction::kClarify}}};

inline constexpr Spellings<IntentScope, 3> kIntentScopes{{{"full_task", IntentScope::kFullTask},
                                                          {"partial_task", IntentScope::kPartialTask},
                                                          {"meta_control", IntentScope::kMetaControl}}};

inline constexpr Spellings<Urgency, 3> kUrgencies{
    {{"high", Urgency::kHigh}, {"medium", Urgency::kMedium}, {"low", Urgency::kLow}}};

inline constexpr Spellings<TaskRelation, 5> kTaskRelations{
    {{"same_task_no_change", TaskRelation::kSameTaskNoChange},
     {"same_task_minor_change", TaskRelation::kSameTaskMinorChange},
     {"same_task_major_change", TaskRelation::kSameTaskMajorChange},
     {"different_task", TaskRelation::kDifferentTask},
     {"control_instruction", TaskRelation::kControlInstruction}}};

inline constexpr Spellings<Route, 6> kRoutes{{{"continue_execution", Route::kContinueExecution},
                                              {"minor_replan", Route::kMinorReplan},
                                              {"full_replan", Route::kFullReplan},
                                              {"new_task", Route::kNewTask},
                                              {"control_action", Route::kControlAction},
                                              {"wait_user_decision", Route::kWaitUserDecision}}};

inline constexpr Spellings<ControlAction, 4> kControlActions{{{"pause", ControlAction::kPause},
                                                              {"resume", ControlAction::kResume},
                                                              {"cancel", ControlAction::kCancel},
                                                              {"status", ControlAction::kStatus}}};

inline constexpr Spellings<StageErrorType, 3> kStageErrorTypes{
    {{"parse_error", StageErrorType::kParseError},
     {"context_missing", StageErrorType::kContextMissing},
     {"tool_unavailable", StageErrorType::kToolUnavailable}}};

}  // namespace agenttalk
