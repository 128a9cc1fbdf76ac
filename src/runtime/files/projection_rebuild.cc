#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/plant.h"
#include "engine/state/command_trails.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "mailbox/place.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/core.h"
#include "runtime/files/event_files.h"
#include "runtime/files/file_comparison.h"
#include "runtime/files/file_sink.h"
#include "runtime/files/projection.h"
#include "runtime/reports/plan_report.h"

// The half of Projection that makes files from the journal: after a start, for a repair, and what was put
// off.
namespace agenttalk {
namespace {

// A file of our own that is to be in a box, and that a crash may have left as if it were a stranger's. Where
// something else stands, a folder or a link, there is none.
bool MayLookLikeAStrangers(const MirrorFailure& failure) {
  return failure.error.code != ErrorCode::kFileUnsafe && Place::FromPath(SplitAtLast(failure.path).directory);
}

}  // namespace

// Gathers what should be there in the end; lines, which only ever are appended, go to the mirror at once.
class Projection::Rebuilding final : public FileSet {
 public:
  enum class Logs : std::uint8_t { kContinued, kAnew };
  enum class Files : std::uint8_t { kThere, kNew };  // most of them
  Rebuilding(Projection& projection, Logs logs, Files files, MirrorReport& report)
      : projection_(projection), logs_(logs), files_(files), report_(report) {}

  void Publish(const std::string& path, const Content& content, Overwrite overwrite) override {
    // An earlier version is ours as well. And the mirror looks first at what it recognizes.
    if (files_ == Files::kThere || Place::FromPath(SplitAtLast(path).directory)) {
      projection_.mirror_.Recognize(path, content.digest);
    }
    FileSet::Publish(path, content, overwrite);
  }
  void Retract(const std::string& path, const Content& content) override {
    projection_.mirror_.Recognize(path, content.digest);
    FileSet::Retract(path, content);
  }
  void Found(const std::string& path, const Content& content) override {
    projection_.mirror_.Recognize(path, content.digest);
    FileSet::Found(path, content);
  }
  void WasThere(const std::string& path, const Content& content) override {
    projection_.mirror_.Recognize(path, content.digest);
  }
  void RemoveFolder(const std::string& path) override {
    FileSet::RemoveFolder(path);
    projection_.RemoveFolder(path);
  }
  void AppendLine(const std::string& path, LineNumber number, LineMaker line,
                  std::uint64_t rotate_at) override {
    if (logs_ == Logs::kAnew && removed_.insert(path).second) {
      if (auto removed = projection_.mirror_.RemoveLog(path); !removed) {
        projection_.problems_.push_back(fmt::format("{}: {}", path, removed.error().message));
      }
    }
    projection_.mirror_.AppendLine(path, number, std::move(line), rotate_at);
    projection_.MakeRoom(report_);
  }

 private:
  Projection& projection_;
  const Logs logs_;
  const Files files_;
  MirrorReport& report_;
  std::set<std::string> removed_;
};

// The state is ahead of the journal. What is not durable yet is shown when it is.
bool Projection::IsDurable(const PlanState& plan, const CommandRecord& record) const {
  const std::vector<EventSpan> trail = plan.trails.Of(record.index);
  return trail.empty() || trail.back().last() <= core_.committed();
}

void Projection::ShowOpenDeliveries(FileSink& sink) {
  for (const auto& [id, plan] : core_.state().plans) ShowOpenDeliveries(*plan, sink);
}

void Projection::ShowOpenDeliveries(const PlanState& plan, FileSink& sink) {
  if (Planted("own_delivery")) return;
  for (const CommandRecord& record : plan.commands) {
    if (record.state == CommandState::kRunning && IsDurable(plan, record)) {
      event_files_.ShowDelivery(plan, record, sink);
    }
  }
}

Result<void> Projection::Read(std::uint64_t after, std::uint64_t until,
                              const std::function<void(const Event&)>& visit) {
  Result<void> decoded;
  TRY(journal_.ReadAll(after, [&](const JournalRowView& row) {
    if (row.first_event > until) return false;
    const PlanId plan{std::string(row.stream)};
    // A plan that finished before the stop is not in memory, and its files need its commands all the same.
    if (auto loaded = core_.LookUp(plan); !loaded) {
      decoded = std::unexpected(std::move(loaded).error());
      return false;
    }
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events, visit);
    core_.ForgetIdle();
    return decoded.has_value();
  }));
  return decoded;
}

Result<std::set<PlanId>> Projection::TellUntil(std::uint64_t after, std::uint64_t until, Tell tell,
                                               FileSink& sink) {
  std::set<PlanId> plans;
  TRY(Read(after, until, [&](const Event& event) {
    (event_files_.*tell)(std::make_shared<const Event>(event), sink);
    statuses_.NoteChanged(event);
    if (!event.plan_id.empty()) plans.insert(event.plan_id);
  }));
  return plans;
}

Result<void> Projection::Reconcile(std::uint64_t after, std::uint64_t until, MirrorReport& report) {
  // From the beginning on, nothing of an old log is needed.
  Rebuilding wanted(*this, after == 0 ? Rebuilding::Logs::kAnew : Rebuilding::Logs::kContinued,
                    Rebuilding::Files::kThere, report);
  static_cast<void>(TRY(TellUntil(after, until, &EventFiles::Show, wanted)));
  ShowOpenDeliveries(wanted);
  PublishAll(wanted, report);
  shown_ = std::max(shown_, until);
  return {};
}

// As Reconcile, for a part of what was put off: at a cost by these events, however many plans are live. What
// could not wait was shown when it happened, and may be newer. A plan that is over is in memory now, so its
// status is written now, too: with its last event, not with every part of a very large one.
Result<void> Projection::ShowSlice(std::uint64_t after, std::uint64_t until) {
  MirrorReport report;
  Rebuilding wanted(*this, after == 0 ? Rebuilding::Logs::kAnew : Rebuilding::Logs::kContinued,
                    Rebuilding::Files::kNew, report);
  const std::set<PlanId> plans = TRY(TellUntil(after, until, &EventFiles::ShowPutOff, wanted));
  for (const PlanId& id : plans) {
    const PlanState* plan = Find(id);
    if (plan == nullptr || plan->IsLivePlan() || plan->last_event > until) continue;
    statuses_.Write(id);
  }
  if (!Planted("no_read_back")) PublishAll(wanted, report);
  shown_ = std::max(shown_, until);
  return {};
}

void Projection::PublishAll(const FileSet& wanted, MirrorReport& report) {
  for (const auto& [path, file] : wanted.files()) {
    if (const auto* content = std::get_if<Content>(&file.what)) {
      Publish(path, *content, file.overwrite);
    } else if (const auto* text = std::get_if<std::string>(&file.what)) {
      PublishText(path, *text);
    } else if (const auto* make = std::get_if<FileMaker>(&file.what)) {
      PublishMade(path, *make);
    } else {
      mirror_.Remove(path, file.overwrite);
    }
    MakeRoom(report);
  }
}

Result<void> Projection::ShowOverdue() {
  while (ShownUntil() < core_.committed()) {
    const std::uint64_t after = ShownUntil();
    const std::uint64_t until = std::min(core_.committed(), after + limits_.slice_at_rest);
    TRY(ShowSlice(after, until));
    core_.ForgetIdle();
  }
  overdue_since_.reset();
  catching_up_ = behind_ = false;
  return {};
}

Result<MirrorReport> Projection::Export(const PlanId& plan) {
  MirrorReport report;
  ShowAll();
  if (lazy_ || behind_) TRY(ShowOverdue());
  FileSet wanted;
  Result<void> decoded;
  TRY(core_.LookUp(plan));
  const auto stream = TRY(journal_.FindStream(plan));
  const std::uint64_t imported_rows = stream ? stream->imported_rows : 0;
  TRY(journal_.ReadStream(plan, 0, [&](const JournalRowView& row) {
    if (row.first_event > core_.committed()) return false;
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
      const auto shared = std::make_shared<const Event>(event);
      row.version > imported_rows ? event_files_.Show(shared, wanted)
                                  : event_files_.ShowForeign(shared, wanted);
    });
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  PublishAll(wanted, report);
  statuses_.NoteChanged(plan);
  Hasten();
  WriteStatuses();
  FlushInto(report);
  return report;
}

Result<void> Projection::CatchUpUrgent(MirrorReport& report) {
  Rebuilding wanted(*this, Rebuilding::Logs::kContinued, Rebuilding::Files::kThere, report);
  Result<void> decoded;
  TRY(journal_.ReadAll(core_.state().urgent_mirrored, [&](const JournalRowView& row) {
    if (row.first_event > core_.committed()) return false;
    const PlanId plan{std::string(row.stream)};
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
      // Most plans have ended, and nothing of them is urgent: they are not read for it.
      if (event_files_.NeedsPlanAtOnce(event)) static_cast<void>(Find(plan));
      ShowUrgent(event, wanted);
    });
    core_.ForgetIdle();
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  ShowOpenDeliveries(wanted);
  PublishAll(wanted, report);
  return {};
}

Result<void> Projection::CatchUp() {
  MirrorReport report;
  const HubState& state = core_.state();
  // After a crash in the middle of much work: nobody waits for minutes until all of its files are there.
  const bool far = core_.committed() > state.mirrored + limits_.most_unshown && !state.repairing;
  // What was put off before the stop is put off still.
  if (lazy_ || far) {
    left_after_ = state.mirrored;
    left_until_ = core_.committed();
    TRY(CatchUpUrgent(report));
  } else {
    TRY(Reconcile(state.mirrored, core_.committed(), report));
  }
  if (far && !lazy_) {
    behind_ = true;
    overdue_since_ = clock_.Now();
  }
  // While the files were behind, those of before were synced, and the statuses of live plans left for later.
  for (const auto& [id, plan] : state.plans) {
    if (plan->IsLivePlan()) statuses_.NoteChanged(id);
  }
  statuses_.Hasten();
  synced_at_ = clock_.Now();
  flushed_once_ = false;
  return {};
}

// A full disk ends a flush: what comes after the file that met it was not tried.
bool Projection::LeavesDoubt(const MirrorReport& report) const {
  return !mirror_.idle() || std::ranges::any_of(report.failures, MayLookLikeAStrangers);
}

bool Projection::IsCaughtUp() {
  if (!flushed_once_) {
    const MirrorReport report = mirror_.Flush();
    trouble_.Note(report.failures);
    if (LeavesDoubt(report)) return false;
    to_mend_ = report.blocked;
    flushed_once_ = true;
  }
  while (!to_mend_.empty()) {
    if (auto mended = mender_.Mend(to_mend_.back()); !mended) {
      problems_.push_back(mended.error().message);
      return false;
    }
    to_mend_.pop_back();
  }
  // What was mended must lie there before anybody looks: its torn form would be taken for a stranger's file.
  return mirror_.idle() || !LeavesDoubt(mirror_.Flush());
}

bool Projection::IsLeftByCrash(const Place& place, const FileFingerprint& file, std::string_view bytes) {
  if (!MayBeLeftByCrash() || Planted("remnants")) return false;
  const PlanState* plan = Find(place.plan);
  if (plan == nullptr || plan->HasTaken(file)) return false;
  const InputVersion* there = plan->FindFile(place.agent, file.name);
  if (there == nullptr || there->content.digest == file.sha256) return false;
  if (there->event <= left_after_) return false;  // and so are all before it
  const auto remnant =
      mender_.IsRemnant(place.plan, place.agent, file.name, bytes, {left_after_, left_until_});
  if (!remnant) problems_.push_back(remnant.error().message);
  return remnant.value_or(false);
}

Result<MirrorReport> Projection::Repair() {
  MirrorReport report;
  ShowAll();
  TRY(Reconcile(0, core_.committed(), report));
  statuses_.Hasten();
  WriteStatuses();
  FlushInto(report);
  std::vector<std::string> torn = report.blocked;
  for (const std::string& path : torn) TRY(mender_.Mend(path));
  if (!torn.empty()) FlushInto(report);
  if (report.failures.empty()) Sync();
  return report;
}

Result<FileComparison> Projection::Compare() {
  FileSet wanted;
  const std::uint64_t until = ShownUntil();
  TRY(TellUntil(0, until, &EventFiles::Show, wanted));
  for (const PlanId& plan : statuses_.TakeBehind()) {
    const PlanState* state = core_.FindLoaded(plan);
    if (state != nullptr && state->opened && state->last_event <= until)
      wanted.PublishText(EventFiles::StatusPath(plan), PlanStatusText(*state));
  }
  return CompareFiles(wanted, files_, mirror_);
}

}  // namespace agenttalk
