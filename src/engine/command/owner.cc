#include "engine/command/owner.h"

#include "base/check.h"
#include "engine/command/parts.h"
#include "model/events/event.h"

namespace agenttalk {

const CommandOwner& OwnerOf(const CommandParts& parts, OwnerKind kind) {
  switch (kind) {
    case OwnerKind::kTask:
      return parts.task;
    case OwnerKind::kStage:
      return parts.stage;
    case OwnerKind::kCollaboration:
      return parts.collaboration;
    case OwnerKind::kOpenPlan:
      return parts.open_plan;
    case OwnerKind::kUnrecorded:
      break;
  }
  CHECK(kind == OwnerKind::kOpenPlan);  // the fold has derived one
  return parts.open_plan;
}

}  // namespace agenttalk
