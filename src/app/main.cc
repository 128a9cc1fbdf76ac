#include <cstdio>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

int main(int argc, char** argv) {
  using namespace agenttalk;
  // In the order in which a person meets them.
  const std::vector<Verb> verbs = {
      InitVerb(),        RunVerb(),        ServeVerb(),     UiVerb(),         SendVerb(),
      SayVerb(),         PlansVerb(),      StatusVerb(),    WatchVerb(),      LogVerb(),
      TraceVerb(),       ShowVerb(),       ReplayVerb(),    ForkVerb(),       DiffVerb(),
      AgentsVerb(),      ProvidersVerb(),  QuestionsVerb(), AnswerVerb(),     PauseVerb(),
      ResumeVerb(),      CancelVerb(),     DeadListVerb(),  DeadShowVerb(),   DeadRetryVerb(),
      DeadDropVerb(),    ValidateVerb(),   PlanShowVerb(),  PlanAppendVerb(), PlanResetVerb(),
      PlanReplaceVerb(), PlanFinishVerb(), PlanApplyVerb(), CommandNewVerb(), PromptVerb(),
      CheckOutputVerb(), DoctorVerb(),     RepairVerb(),    ExportVerb()};
  Console console(stdout, stderr);
  return static_cast<int>(RunCommandLine({argv + 1, argv + argc}, verbs, console));
}
