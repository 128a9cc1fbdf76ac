#include "api/submit.h"

#include <boost/json.hpp>
#include <expected>
#include <utility>
#include <variant>

#include "api/hub_service.h"
#include "engine/engine.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "runtime/core/core.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

const char* StatusName(Reply::Status status) {
  switch (status) {
    case Reply::Status::kAccepted:
      return "accepted";
    case Reply::Status::kRepeated:
      return "duplicate";
    case Reply::Status::kRefused:
      return "refused";
    case Reply::Status::kIgnored:
    case Reply::Status::kDamaged:
      return "unchanged";
  }
  return "";
}

}  // namespace

void SubmitFor(Hub& hub, Input input, json::object more, HubService::Done done) {
  if (auto unable = hub.Unable()) {
    done(std::unexpected(*std::move(unable)));
    return;
  }
  // Whoever runs a plan wants it to advance, also in a process that was started for another one.
  if (std::holds_alternative<PlanSubmission>(input) || std::holds_alternative<GoalSubmission>(input)) {
    hub.FocusOn(Engine::PlanOf(input));
  }
  hub.core().Submit(std::move(input), [more = std::move(more), done = std::move(done)](const Reply& reply) {
    if (reply.status == Reply::Status::kRefused) {
      done(std::unexpected(*reply.error));
      return;
    }
    json::object answer = more;
    answer["status"] = StatusName(reply.status);
    done(json::value(std::move(answer)));
  });
  hub.Wake();
}

}  // namespace agenttalk
