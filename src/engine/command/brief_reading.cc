#include "engine/command/brief_reading.h"

#include <string>

#include "base/codec.h"
#include "base/error.h"
#include "base/error_code.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"

namespace agenttalk {

Result<CommandBrief> ReadBrief(Turn& turn, const CommandRecord& record) {
  const std::string bytes = TRY(turn.composer().Read(record.brief));
  CommandBrief brief;
  ByteReader reader(bytes);
  reader.Get(brief);
  if (!reader.ok()) return Fail(ErrorCode::kJournalDamaged, "the texts of a command cannot be read");
  return brief;
}

}  // namespace agenttalk
