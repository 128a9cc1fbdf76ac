#include <sys/prctl.h>
#include <sys/stat.h>

#include <cstdio>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

namespace {

// Whatever umask the user has: what is made here is for its owner. (A folder with a default ACL decides for
// itself, which is how an external agent of another user gets in.) And no process of the same user reads keys
// out of this one's memory or environment, nor does a core dump hold them.
void KeepToOneself() {
  ::umask(S_IRWXG | S_IRWXO);
#if !defined(__SANITIZE_ADDRESS__)  // whose leak checker traces its own process
  ::prctl(PR_SET_DUMPABLE, 0);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  using namespace agenttalk;
  KeepToOneself();
  // In the order in which a person meets them.
  const std::vector<Verb> verbs = {
      InitVerb(),       RunVerb(),       ServeVerb(),      UiVerb(),        McpVerb(),
      SendVerb(),       SayVerb(),       PlansVerb(),      StatusVerb(),    WatchVerb(),
      LogVerb(),        TraceVerb(),     ShowVerb(),       ReplayVerb(),    ForkVerb(),
      DiffVerb(),       AgentsVerb(),    ProvidersVerb(),  TrustVerb(),     ToolsVerb(),
      ToolCallVerb(),   QuestionsVerb(), AnswerVerb(),     PauseVerb(),     ResumeVerb(),
      CancelVerb(),     DeadListVerb(),  DeadShowVerb(),   DeadRetryVerb(), DeadDropVerb(),
      ValidateVerb(),   PlanShowVerb(),  PlanAppendVerb(), PlanResetVerb(), PlanReplaceVerb(),
      PlanFinishVerb(), PlanApplyVerb(), CommandNewVerb(), PromptVerb(),    CheckOutputVerb(),
      DoctorVerb(),     RepairVerb(),    ExportVerb(),     GcVerb(),        ImportVerb()};
  Console console(stdout, stderr);
  return static_cast<int>(RunCommandLine({argv + 1, argv + argc}, verbs, console));
}
