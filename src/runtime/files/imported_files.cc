#include <algorithm>
#include <memory>
#include <variant>

#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/core.h"
#include "runtime/files/event_files.h"
#include "runtime/files/file_sink.h"
#include "runtime/files/plan_sink.h"

// The files of a plan that came from elsewhere. Its events say what their writer wanted them to say.
namespace agenttalk {
namespace {

// Numbers of questions and letters are those of another hub, and may be somebody else's here: their files are
// not shown. Nor is what only a hub says of itself: it would remove plans, or begin this one again for ever.
bool IsShown(const EventBody& body) {
  const bool foreign =
      std::holds_alternative<QuestionAsked>(body) || std::holds_alternative<QuestionClosed>(body) ||
      std::holds_alternative<DeadLettered>(body) || std::holds_alternative<DeadLetterClosed>(body) ||
      std::holds_alternative<StageFinished>(body) || std::holds_alternative<AttemptStarted>(body);
  return !foreign && HomeOf(body) == EventHome::kAny;
}

}  // namespace

void EventFiles::ShowForeign(const std::shared_ptr<const Event>& past, FileSink& sink) {
  if (!IsShown(past->body)) return;
  PlanSink own(past->plan_id, sink);
  Show(past, own);
}

void EventFiles::ShowImported(const Event& event, const PlanImported& imported, FileSink& sink) {
  sink.LogsArePartial();
  if (!core_.LookUp(imported.plan_id)) return;  // told by whoever looks at it
  static_cast<void>(journal_.ReadStream(imported.plan_id, 0, [&](const JournalRowView& row) {
    if (row.first_event > std::min(event.number, imported.last_event)) return false;
    return DecodeEvents(imported.plan_id, row.first_event, row.event_count, row.events,
                        [&](const Event& past) { ShowForeign(std::make_shared<const Event>(past), sink); })
        .has_value();
  }));
}

}  // namespace agenttalk
