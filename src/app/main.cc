#include <sys/prctl.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>

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
  static constexpr std::array kVerbs = {VerbRow{"init", &InitVerb},
                                        VerbRow{"run", &RunVerb},
                                        VerbRow{"serve", &ServeVerb},
                                        VerbRow{"ui", &UiVerb},
                                        VerbRow{"mcp", &McpVerb},
                                        VerbRow{"send", &SendVerb},
                                        VerbRow{"say", &SayVerb},
                                        VerbRow{"plans", &PlansVerb},
                                        VerbRow{"status", &StatusVerb},
                                        VerbRow{"watch", &WatchVerb},
                                        VerbRow{"log", &LogVerb},
                                        VerbRow{"trace", &TraceVerb},
                                        VerbRow{"show", &ShowVerb},
                                        VerbRow{"replay", &ReplayVerb},
                                        VerbRow{"fork", &ForkVerb},
                                        VerbRow{"diff", &DiffVerb},
                                        VerbRow{"agents", &AgentsVerb},
                                        VerbRow{"providers", &ProvidersVerb},
                                        VerbRow{"trust", &TrustVerb},
                                        VerbRow{"tools", &ToolsVerb},
                                        VerbRow{"tool call", &ToolCallVerb},
                                        VerbRow{"questions", &QuestionsVerb},
                                        VerbRow{"answer", &AnswerVerb},
                                        VerbRow{"pause", &PauseVerb},
                                        VerbRow{"resume", &ResumeVerb},
                                        VerbRow{"cancel", &CancelVerb},
                                        VerbRow{"dead list", &DeadListVerb},
                                        VerbRow{"dead show", &DeadShowVerb},
                                        VerbRow{"dead retry", &DeadRetryVerb},
                                        VerbRow{"dead drop", &DeadDropVerb},
                                        VerbRow{"validate", &ValidateVerb},
                                        VerbRow{"plan show", &PlanShowVerb},
                                        VerbRow{"plan append", &PlanAppendVerb},
                                        VerbRow{"plan reset", &PlanResetVerb},
                                        VerbRow{"plan replace", &PlanReplaceVerb},
                                        VerbRow{"plan finish", &PlanFinishVerb},
                                        VerbRow{"plan apply", &PlanApplyVerb},
                                        VerbRow{"command new", &CommandNewVerb},
                                        VerbRow{"prompt", &PromptVerb},
                                        VerbRow{"check-output", &CheckOutputVerb},
                                        VerbRow{"doctor", &DoctorVerb},
                                        VerbRow{"repair", &RepairVerb},
                                        VerbRow{"export", &ExportVerb},
                                        VerbRow{"gc", &GcVerb},
                                        VerbRow{"import", &ImportVerb}};
  Console console(stdout, stderr);
  return static_cast<int>(RunCommandLine({argv + 1, argv + argc}, kVerbs, console));
}
