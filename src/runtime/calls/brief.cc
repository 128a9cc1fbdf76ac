#include "runtime/calls/brief.h"

#include "base/codec.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "runtime/core/content_store.h"

namespace agenttalk {

CommandBrief LoadBrief(ContentStore& contents, const CommandRecord& record) {
  CommandBrief brief;
  const auto bytes = contents.Load(record.brief);
  if (!bytes) return brief;
  ByteReader reader(**bytes);
  reader.Get(brief);
  return brief;
}

}  // namespace agenttalk
