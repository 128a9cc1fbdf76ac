#include "runtime/retention/garbage.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/plant.h"
#include "journal/journal.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"
#include "model/events/content_visitor.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/stored_request.h"
#include "runtime/history/history_reader.h"

namespace agenttalk {
namespace {

// The rows and contents of the plans that are to go, and what others still name of them.
class Garbage {
 public:
  Garbage(Journal& journal, const std::vector<PlanId>& plans, std::size_t in_a_commit)
      : journal_(journal), load_(LoadFrom(journal)), in_a_commit_(in_a_commit), removals_(plans.size()) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
      removals_[i].stream = plans[i];
      index_[plans[i]] = i;
    }
  }

  [[nodiscard]] bool Goes(const PlanId& plan) const { return index_.contains(plan); }

  // What the plans have.
  Result<void> Collect() {
    for (std::size_t i = 0; i < removals_.size(); ++i) TRY(CollectPlan(i));
    for (const auto& [content, plan] : foreign_) {
      const auto row = rows_.find(content.row);
      if (row != rows_.end() && row->second / in_a_commit_ < plan / in_a_commit_) Keep(content, row->second);
    }
    foreign_ = {};
    return {};
  }

  // A row of somebody else.
  Result<void> Spare(const JournalRowView& row) {
    return VisitNamed(PlanId(std::string(row.stream)), row, [&](const Content& content) { Spare(content); });
  }

  std::vector<Removal> Take() {
    for (const auto& [digest, plan] : blobs_) removals_[plan].blobs.push_back(digest);
    for (Removal& one : removals_) {
      std::ranges::sort(one.kept, {}, &Content::row);
      const auto twice = std::ranges::unique(one.kept);
      one.kept.erase(twice.begin(), twice.end());
    }
    return std::move(removals_);
  }

 private:
  Result<void> CollectPlan(std::size_t i) {
    const PlanId& plan = removals_[i].stream;
    const auto stream = TRY(journal_.FindStream(plan));
    const std::uint64_t imported_rows = stream ? stream->imported_rows : 0;
    Result<void> read;
    TRY(journal_.ReadStream(plan, 0, [&](const JournalRowView& row) {
      // Imported rows are not among the journal's own, whose numbers they may have.
      if (row.version > imported_rows) rows_[row.first_event] = i;
      read = VisitNamed(plan, row, [&](const Content& content) {
        // What an imported plan names is kept by its digest, whatever its size. The last one to go takes it.
        if (content.row == 0 || imported_rows > 0) blobs_[content.digest] = i;
        if (content.row == 0) return;
        const auto own = rows_.find(content.row);
        if (own == rows_.end() || own->second != i) foreign_.emplace_back(content, i);
      });
      return read.has_value();
    }));
    return read;
  }

  void Keep(const Content& content, std::size_t plan) { removals_[plan].kept.push_back(content); }

  Result<void> VisitNamed(const PlanId& plan, const JournalRowView& row,
                          const std::function<void(const Content&)>& visit) {
    Result<void> named;
    TRY(DecodeEvents(plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
      if (named) named = ForEachNamed(load_, event, visit);
    }));
    return named;
  }

  void Spare(const Content& content) {
    if (Planted("gc_named")) return;
    blobs_.erase(content.digest);
    const auto row = rows_.find(content.row);
    if (content.row != 0 && row != rows_.end()) Keep(content, row->second);
  }

  Journal& journal_;
  const ContentLoader load_;
  const std::size_t in_a_commit_;
  std::vector<Removal> removals_;
  std::unordered_map<PlanId, std::size_t> index_;
  std::unordered_map<std::uint64_t, std::size_t> rows_;
  std::unordered_map<Digest, std::size_t> blobs_;
  std::vector<std::pair<Content, std::size_t>> foreign_;  // in somebody else's row, and who names it
};

std::unexpected<Error> Stopped() {
  return Fail(ErrorCode::kStateConflict, "it was stopped before anything was removed", "start it again");
}

}  // namespace

Result<void> ForEachNamed(const ContentLoader& load, const Event& event,
                          const std::function<void(const Content&)>& visit) {
  ForEachContent(event.body, visit);
  const auto* call = std::get_if<ModelCallIntended>(&event.body);
  if (call == nullptr || call->request.empty()) return {};
  // Texts that the composer stored are named by the request alone. Its parent is a request with an event of
  // its own.
  const auto bytes = TRY(load(call->request));
  const StoredRequest request = TRY(DecodeRequest(*bytes));
  ForEachContent(request, visit);
  return {};
}

Result<std::vector<Removal>> FindGarbage(Journal& journal, const std::vector<PlanId>& plans,
                                         std::size_t in_a_commit, std::uint64_t through,
                                         const std::atomic<bool>& stop) {
  Garbage garbage(journal, plans, in_a_commit);
  TRY(garbage.Collect());
  Result<void> spared;
  const auto spare = [&](const JournalRowView& row) {
    if (row.first_event > through) return false;
    if (stop) {
      spared = Stopped();
    } else if (!garbage.Goes(PlanId(std::string(row.stream)))) {
      spared = garbage.Spare(row);
    }
    return spared.has_value();
  };
  TRY(journal.ReadAll(0, spare));
  TRY(std::move(spared));
  for (const StreamInfo& stream : TRY(journal.Streams(false))) {
    if (stream.imported_rows == 0 || garbage.Goes(stream.stream)) continue;
    TRY(journal.ReadStream(stream.stream, 0, spare));
    TRY(std::move(spared));
  }
  return garbage.Take();
}

}  // namespace agenttalk
