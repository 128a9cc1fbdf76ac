#include "runtime/answers/sent_command.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "engine/turn/input.h"
#include "model/command/command.h"
#include "model/command/reading.h"
#include "model/command/sent_command.h"

namespace agenttalk {

CommandDraft ReadSentCommand(const PlanId& plan, std::string file, std::string body) {
  ReadCommandResult read = ParseCommand(body, CommandStrictness::kIntake);
  auto& errors = read.issues.errors;
  if (read.command && read.command->plan_id != plan) {
    errors.push_back(
        {ErrorCode::kPlanUnknown, "/plan_id",
         fmt::format("the command is of {}, its sender of {}", read.command->plan_id.str(), plan.str()),
         "a task's agent may only send commands of its own plan"});
  }
  if (read.command && file != read.command->command_id.str() + ".json") {
    errors.push_back({ErrorCode::kCommandIdFormat, "/command_id",
                      fmt::format("{} holds the command {}", file, read.command->command_id.str()),
                      "name the file as its command_id says: <command_id>.json"});
  }
  CommandDraft draft;
  SentCommand& sent = draft.sent;
  sent.file = std::move(file);
  draft.body = std::move(body);
  if (read.command) {
    sent.command = *std::move(read.command);
    sent.payload = PayloadHash(sent.command);
  }
  for (const Issue& warning : read.issues.warnings) sent.warnings.push_back(IssueText(warning));
  for (const Issue& error : errors) sent.errors.push_back(IssueText(error));
  if (!errors.empty()) {
    sent.code = errors.front().code;
    sent.message = sent.errors.front();
    sent.hint = errors.front().hint;
  }
  return draft;
}

}  // namespace agenttalk
