#pragma once

#include "model/events/event.h"
#include "runtime/files/file_sink.h"

namespace agenttalk {

// The files of a plan with a DAG that an event shows: the DAG and its history, the commands that were made
// for its tasks, and the deliverables.
void ShowTaskFiles(const Event& event, FileSink& sink);

}  // namespace agenttalk
