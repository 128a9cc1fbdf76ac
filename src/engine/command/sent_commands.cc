#include "engine/command/sent_commands.h"

#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/command/file_intake.h"
#include "engine/command/sending_rules.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/sent_command.h"

namespace agenttalk {

void RouteSentCommands(Turn& turn, const PlanState& plan, const CommandRecord& sender,
                       const std::vector<SentCommand>& commands) {
  const Reply reply = turn.reply;  // is about what the sender's command came to
  for (const SentCommand& sent : commands) {
    CommandFile file = FileOf(plan, sender, sent);
    std::optional<Error> fault = FindFault(turn.state(), sender, sent, file);
    auto body = turn.composer().Read(sent.body);
    if (!fault && !body) fault = body.error();
    if (fault) {
      OnRejectedFile(turn, {sender.agent,
                            plan.id,
                            sent.command.command_id,
                            sent.file,
                            Payload(sent.body),
                            fault->code,
                            fault->message,
                            fault->hint,
                            sent.errors,
                            {}});
      continue;
    }
    file.body = *std::move(body);
    OnCommandFile(turn, std::move(file));
  }
  turn.reply = reply;
}

}  // namespace agenttalk
