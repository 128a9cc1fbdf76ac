#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "journal/plan_summary.h"
#include "model/content/content.h"

// Changes of whole streams, which become part of a commit as rows do: a plan is removed, or comes from
// another journal.
namespace agenttalk {

// A stream is removed with its rows, and contents with it. Its event numbers are not given again: where rows
// were there is a gap, which readers pass over.
struct Removal {
  PlanId stream;
  std::vector<Content> kept;  // contents in its rows that others name; they stay where they are
  std::vector<Digest> blobs;  // contents of their own that nobody else names
};

// A row of a stream as another journal held it.
struct ImportedRow {
  std::uint64_t first_event = 0;
  std::uint32_t event_count = 0;
  std::string events;
};

// A stream that comes from another journal (or from this one, before it was removed). Its events keep their
// numbers, which may be those of local events too; they must not be beyond the last local one when the commit
// is done. The contents that they name are blobs of the same append.
struct ImportedStream {
  PlanId stream;
  std::vector<ImportedRow> rows;  // versions 1, 2, 3 …; numbers increase
  std::shared_ptr<const PlanSummary> summary;
};

}  // namespace agenttalk
