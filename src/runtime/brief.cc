#include "runtime/brief.h"

#include "base/codec.h"
#include "engine/plan_state.h"
#include "model/event.h"
#include "runtime/content_store.h"

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
