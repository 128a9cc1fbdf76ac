#include "api/command_requests.h"

#include <boost/json.hpp>
#include <expected>
#include <string>
#include <utility>

#include "api/generation_log.h"
#include "api/hub_service.h"
#include "api/parameters.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "model/command/generation.h"
#include "model/command/reading.h"
#include "runtime/command_facts.h"
#include "runtime/hub.h"
#include "tools/command_tool.h"

namespace agenttalk {

namespace json = boost::json;

void RequestCommand(Hub& hub, const json::object& parameters, HubService::Done done) {
  const json::value* params = parameters.if_contains("params");
  if (params == nullptr) {
    done(Fail(ErrorCode::kFieldMissing, "params is missing: the fields of the command"));
    return;
  }
  MakeCommand(hub.ForCommands(), AgentId(), *params,
              [&hub, params = *params, done = std::move(done)](const ReadCommandResult& made) {
                json::object answer = ToJson(made).as_object();
                // Not being logged is no reason not to be made.
                if (const auto logged = LogGeneration(hub.directory(), params, made); !logged)
                  answer["log"] = "this is not logged: " + logged.error().message;
                done(json::value(std::move(answer)));
              });
}

Result<json::value> QueryCommandCheck(Hub& hub, const json::object& parameters) {
  const std::string text = TRY(Text(parameters, "text"));
  const json::value* strict = parameters.if_contains("strict");
  const bool is_strict = strict != nullptr && strict->is_bool() && strict->get_bool();
  const ReadCommandResult read =
      ParseCommand(text, is_strict ? CommandStrictness::kStrict : CommandStrictness::kIntake,
                   CommandFacts(hub.core(), hub.team()));
  return json::value{{"errors", ToJson(read.issues.errors)}, {"warnings", ToJson(read.issues.warnings)}};
}

}  // namespace agenttalk
