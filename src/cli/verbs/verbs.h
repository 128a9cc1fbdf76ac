#pragma once

#include "cli/verb.h"

// The rows of the verb table, one function each.
namespace agenttalk {

Verb AgentsVerb();
Verb AnswerVerb();
Verb CancelVerb();
Verb CheckOutputVerb();
Verb CommandNewVerb();
Verb DeadDropVerb();
Verb DeadListVerb();
Verb DeadRetryVerb();
Verb DeadShowVerb();
Verb DiffVerb();
Verb DoctorVerb();
Verb ExportVerb();
Verb ForkVerb();
Verb GcVerb();
Verb ImportVerb();
Verb InitVerb();
Verb LogVerb();
Verb McpVerb();
Verb PauseVerb();
Verb PlansVerb();
Verb PlanShowVerb();
Verb PlanAppendVerb();
Verb PlanResetVerb();
Verb PlanReplaceVerb();
Verb PlanFinishVerb();
Verb PlanApplyVerb();
Verb PromptVerb();
Verb ProvidersVerb();
Verb QuestionsVerb();
Verb RepairVerb();
Verb ReplayVerb();
Verb ResumeVerb();
Verb RunVerb();
Verb SayVerb();
Verb SendVerb();
Verb ServeVerb();
Verb StatusVerb();
Verb TraceVerb();
Verb ShowVerb();
Verb ToolCallVerb();
Verb ToolsVerb();
Verb TrustVerb();
Verb UiVerb();
Verb ValidateVerb();
Verb WatchVerb();

}  // namespace agenttalk
