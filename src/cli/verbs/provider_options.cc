#include "cli/verbs/provider_options.h"

#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "cli/verb.h"
#include "cli/verbs/trust_check.h"
#include "runtime/calls/provider_choice.h"

namespace agenttalk {

std::vector<Parameter> WithProviderParameters(std::vector<Parameter> own) {
  own.push_back({.name = "--answers",
                 .takes = Takes::kValue,
                 .help = "answer every model call from this script; needs no model and no network",
                 .value = "FILE",
                 .completes = Completes::kFile});
  own.push_back({.name = "--provider",
                 .takes = Takes::kValue,
                 .help = "the default provider: a name from agenttalk.yaml, or a kind",
                 .value = "P"});
  own.push_back({.name = "--record",
                 .takes = Takes::kValue,
                 .help = "append all model calls to this recording",
                 .value = "FILE",
                 .completes = Completes::kFile,
                 .rare = true});
  own.push_back({.name = "--replay",
                 .takes = Takes::kValue,
                 .help = "answer from a recording; needs no model and no network",
                 .value = "FILE",
                 .completes = Completes::kFile,
                 .rare = true});
  own.push_back(TrustParameter());
  return own;
}

Result<ProviderChoice> ReadProviderChoice(const Invocation& call) {
  ProviderChoice choice;
  choice.provider = call.arguments.Get("--provider");
  if (call.arguments.Has("--answers")) choice.answers = call.arguments.Get("--answers");
  if (call.arguments.Has("--record")) choice.record = call.arguments.Get("--record");
  if (call.arguments.Has("--replay")) choice.replay = call.arguments.Get("--replay");
  if (choice.replay && (choice.record || choice.answers)) {
    return Fail(ErrorCode::kUsage, "--replay takes every answer from its file",
                "leave out --record and --answers");
  }
  return choice;
}

}  // namespace agenttalk
