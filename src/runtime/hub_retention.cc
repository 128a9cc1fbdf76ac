#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "mailbox/file_system.h"
#include "runtime/core/core.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/hub.h"
#include "runtime/retention/plan_archive.h"
#include "runtime/retention/retention.h"

// A hub that lives for years: plans that have ended go, are put away, and come back.
namespace agenttalk {
namespace {

constexpr Duration kFirstLook = std::chrono::minutes(1);
constexpr Duration kLookEvery = std::chrono::hours(1);
// Numbers that are passed over at once, at the most.
constexpr std::uint64_t kFarthest = std::uint64_t{1} << 31;

}  // namespace

void Hub::MakeRetention() {
  retention_ = std::make_unique<Retention>(core(), *journal_, directory_, options_.mode == HubMode::kControl,
                                           [this](std::function<void()> work) {
                                             boost::asio::post(loop(), [this, work = std::move(work)] {
                                               work();
                                               Wake();
                                             });
                                           });
  retention_->EmptyTrash();
  retention_due_ = clock_.Now() + std::min(kFirstLook, team_.config.limits.keep_finished);
}

void Hub::NoticeOldPlans() {
  const Duration keep = team_.config.limits.keep_finished;
  if (keep == Duration{} || clock_.Now() < retention_due_ || retention_->busy()) return;
  retention_due_ = clock_.Now() + std::min(kLookEvery, keep);
  RetentionWish wish;
  wish.older_than = keep;
  wish.reason = fmt::format("limits.keep_finished is {}", ToText(keep));
  CollectGarbage(std::move(wish), [this](Result<RetentionReport> report) {
    if (!report) {
      Report("old plans could not be removed: " + report.error().message);
    } else if (!report->plans.empty()) {
      Report(fmt::format("removed {} plans that ended longer ago than limits.keep_finished",
                         report->plans.size()));
    }
  });
}

void Hub::CollectGarbage(RetentionWish wish, Retention::Done done) {
  retention_->Begin(std::move(wish), clock_.Now(), std::move(done));
  Wake();
}

// What of a plan that has ended is to be in an archive, up to its last event.
Result<PlanSummary> Hub::SummaryToArchive(const PlanId& id) {
  const PlanState* plan = TRY(core().LookUp(id));
  if (plan == nullptr) return Fail(ErrorCode::kPlanUnknown, fmt::format("there is no plan {}", id.str()));
  PlanSummary summary = SummaryOf(*plan);
  summary.state = PlanStateName(*plan);
  const bool over = summary.state == "completed" || summary.state == "failed" || summary.state == "cancelled";
  if (plan->IsLivePlan() || !over || plan->last_event > core().committed()) {
    return Fail(ErrorCode::kStateConflict, fmt::format("{} has not ended: it is {}", id.str(), summary.state),
                fmt::format("wait until it has, or `agenttalk cancel {}`", id.str()));
  }
  return summary;
}

void Hub::ArchivePlan(const PlanId& id, const std::filesystem::path& file,
                      std::function<void(Result<ArchiveReport>)> done) {
  const auto begun = [&]() -> Result<PlanSummary> {
    PlanSummary summary = TRY(SummaryToArchive(id));
    // Files that were put off are part of it.
    if (options_.mode != HubMode::kRead) TRY(Export(id));
    return summary;
  }();
  if (!begun) return done(std::unexpected(begun.error()));
  const auto written = std::make_shared<Result<ArchiveReport>>();
  DoBeside([this, id, summary = *begun, file,
            written] { *written = WriteArchive(*journal_, directory_, id, summary, file); },
           [this, id, before = begun->updated_at, file, written, done = std::move(done)] {
             const auto now = SummaryToArchive(id);
             if (*written && (!now || now->updated_at != before)) {
               std::error_code ignored;
               std::filesystem::remove(file, ignored);
               *written = Fail(ErrorCode::kStateConflict,
                               fmt::format("{} was worked on while it was archived", id.str()),
                               "try again when it has ended");
             }
             done(std::move(*written));
           });
}

// What makes it impossible to take the archive in.
std::optional<Error> Hub::ImportObstacle(const PlanArchive& archive) {
  const auto there = [&]() -> Result<bool> {
    // One that was only named, by a request that was refused, is not there.
    const PlanState* known = TRY(core().LookUp(archive.plan));
    return core().IsMoving(archive.plan) || (known != nullptr && known->last_event != 0) ||
           TRY(journal_->FindStream(archive.plan)).has_value();
  }();
  if (!there) return there.error();
  if (*there) {
    return Error{ErrorCode::kAlreadyExists, fmt::format("there is a plan {} already", archive.plan.str()),
                 fmt::format("`agenttalk gc {}` removes it, if that is what you want", archive.plan.str())};
  }
  if (archive.last_event > core().state().last_event + kFarthest) {
    return Error{ErrorCode::kValueInvalid, "the archive is refused: its event numbers are too high", {}};
  }
  return std::nullopt;
}

void Hub::ImportPlan(PlanArchive found, std::function<void(Result<PlanArchive>)> done) {
  if (auto obstacle = ImportObstacle(found)) return done(std::unexpected(*std::move(obstacle)));
  core().BeginMove(found.plan);
  const auto archive = std::make_shared<PlanArchive>(std::move(found));
  const auto published = std::make_shared<Result<void>>();
  // Before the plan is there: whatever is left when this is interrupted belongs to no plan and is written
  // again by the next attempt. Beside the loop: there may be a million of them.
  DoBeside(
      [this, archive, published] {
        *published = [&]() -> Result<void> {
          for (const ArchivedFile& one : archive->files) {
            TRY(PublishInto(*files_, one.path, one.bytes, {.replace = true, .durable = false}));
          }
          return {};
        }();
      },
      [this, archive, published, done = std::move(done)] {
        if (*published) return Arrive(archive, done);
        core().EndMove(archive->plan);
        Wake();
        done(std::unexpected(std::move(*published).error()));
      });
}

void Hub::Arrive(const std::shared_ptr<PlanArchive>& archive,
                 const std::function<void(Result<PlanArchive>)>& done) {
  PlanArrival arrival;
  arrival.imported.plan_id = archive->plan;
  arrival.imported.state = archive->summary.state;
  arrival.imported.events = archive->events;
  arrival.imported.first_event = archive->first_event;
  arrival.imported.last_event = archive->last_event;
  arrival.imported.archive = archive->digest;
  ImportedStream stream;
  stream.stream = archive->plan;
  stream.rows = std::move(archive->rows);
  stream.summary = std::make_shared<const PlanSummary>(archive->summary);
  core().SubmitImport(std::move(arrival), std::move(stream), std::move(archive->contents),
                      [archive, done](const Reply& /*reply*/) { done(std::move(*archive)); });
  Wake();
}

}  // namespace agenttalk
