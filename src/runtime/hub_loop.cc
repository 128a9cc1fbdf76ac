#include "runtime/hub_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "mailbox/watcher.h"
#include "runtime/calls/model_access.h"
#include "runtime/core/core.h"
#include "runtime/core/idleness.h"
#include "runtime/core/threaded_commits.h"
#include "runtime/hub.h"
#include "runtime/node.h"

// How a hub is driven: it wakes on notifications, commits, the socket and time, and does one round.
namespace agenttalk {
namespace {

namespace asio = boost::asio;

// Well below what the node takes for a jump of the clock.
constexpr Duration kLongestSleep = std::chrono::seconds(10);
// While commits are behind they wake the loop; this is only a safety net.
constexpr Duration kCrowdedSleep = std::chrono::seconds(1);
constexpr Duration kShortestSleep = std::chrono::milliseconds(1);
constexpr Duration kBetweenReports = std::chrono::seconds(5);

}  // namespace

void Hub::Wake() {
  if (loop_->woken.exchange(true)) return;
  asio::post(loop_->context, [this] {
    loop_->woken = false;
    Pump();
  });
}

void Hub::Stop() {
  stopping_ = true;
  Wake();
}

// False: the run is over.
bool Hub::TakeNews() {
  ThreadedCommits::News news = commits_->TakeNews();
  if (news.disk_full) {
    Report("the disk is full: nothing more is taken in until there is space (" + news.disk_full->message +
           ")");
  }
  if (news.committed > core().committed()) node_->Committed(news.committed);
  if (news.failed) node_->CommitFailed(std::move(*news.failed));
  if (!core().failure()) return true;
  error_ = core().failure();
  loop_->context.stop();
  return false;
}

void Hub::Pump() {
  if (!TakeNews()) return;
  if (until_ && until_()) stopping_ = true;
  if (stopping_) {
    PumpStop();
    return;
  }
  commits_->Retry();
  // A server continues by itself when there is space again; nobody waits for a verb that long.
  if (options_.mode == HubMode::kControl && commits_->Stalled()) {
    Stop();
    return;
  }
  if (commits_->Crowded()) {
    SetTimer(kCrowdedSleep);
    return;
  }
  StepNode();
}

void Hub::AfterRound(std::function<void()> work) {
  boost::asio::post(loop(), std::move(work));
}

void Hub::StepNode() {
  retention_->TryAgain(clock_.Now());
  if (options_.mode == HubMode::kControl) {
    node_->Drain();
    SetTimer(kCrowdedSleep);
    return;
  }
  NoticeClockJump();
  NoticeConfiguration();
  NoticeOldPlans();
  const bool more = node_->Step();
  for (const std::string& problem : node_->TakeProblems()) Report(problem);
  if (core().Accepts()) WatchFolders();
  if (until_idle_) CheckIdle();
  if (more) {
    Wake();
  } else {
    Timestamp next = std::min(node_->NextWake(), config_due_);
    if (const auto again = retention_->NextAttempt()) next = std::min(next, *again);
    SetTimer(std::min(kLongestSleep, std::max(kShortestSleep, next - clock_.Now())));
  }
}

void Hub::PumpStop() {
  core().Hold();
  commits_->Retry();
  node_->Drain();
  if (commits_->Stalled()) {
    // What waits was not acknowledged to anybody; it cannot be saved.
    loop_->context.stop();
    return;
  }
  if (!core().Settled()) return;
  if (!files_settled_) {
    SettleFiles();
    Wake();
    return;
  }
  loop_->context.stop();
}

// After much work there may be minutes of files to write.
void Hub::SettleFiles() {
  const Timestamp now = clock_.Now();
  if (!behind_at_stop_) {
    if (options_.mode == HubMode::kServe) core().SnapshotAtRest();
    behind_at_stop_ = std::max<std::uint64_t>(1, node_->FilesAreBehindBy());
    told_of_stop_ = now;
  }
  // What a killed server left unwritten is for the next one, not for every verb in between.
  const bool leaves_rest = options_.mode == HubMode::kControl && node_->files_are_behind();
  files_settled_ = leaves_rest || !node_->SettleFiles();
  for (const std::string& problem : node_->TakeProblems()) Report(problem);
  // Who let it work until everything was done looks for its files.
  if (files_settled_ && until_idle_ && until_plan_.empty() && !node_->files_are_complete()) {
    error_ = Error{ErrorCode::kIo, "some files could not be written", "the next start writes them again"};
  }
  if (files_settled_ || now < told_of_stop_ + kBetweenReports) return;
  told_of_stop_ = now;
  const std::uint64_t behind = std::min(node_->FilesAreBehindBy(), *behind_at_stop_);
  Report(fmt::format("writing files: {}% done; again to stop at once, the next start writes the rest",
                     100 * (*behind_at_stop_ - behind) / *behind_at_stop_));
}

// True: the plan that is waited for has ended.
bool Hub::PlanHasEnded() {
  if (until_plan_.empty() || !core().Settled()) return false;
  const PlanState* plan = core().FindLoaded(until_plan_);
  if (plan == nullptr || !plan->completed) return false;
  end_ = plan->cancelled || HasFailed(core().state(), {until_plan_}) ? End::kFailed : End::kDone;
  return true;
}

void Hub::CheckIdle() {
  if (PlanHasEnded()) {
    Stop();
    return;
  }
  if (!node_->IsIdle()) return;
  const Idleness idleness = AssessIdleness(core().state());
  if (idleness.busy || (!idleness.awaited.empty() && options_.stays && options_.stays())) return;
  end_ = HasFailed(core().state(), touched_) ? End::kFailed
         : idleness.awaited.empty()          ? End::kDone
                                             : End::kWaiting;
  for (const std::string& line : idleness.awaited) Report(line);
  Stop();
}

// Only after a step has emptied it: the descriptor stays readable until then.
void Hub::WatchFolders() {
  if (watcher_->descriptor() < 0 || loop_->folders_watched) return;
  if (!loop_->folders.is_open()) loop_->folders.assign(watcher_->descriptor());
  loop_->folders_watched = true;
  loop_->folders.async_wait(asio::posix::stream_descriptor::wait_read,
                            [this](const boost::system::error_code& error) {
                              loop_->folders_watched = false;
                              if (error != asio::error::operation_aborted) Wake();
                            });
}

// What models send is taken by itself; only an outcome wakes the hub.
void Hub::WatchModels() {
  if (!models_) return;
  if (!loop_->models.is_open()) loop_->models.assign(models_->reactor->descriptor());
  loop_->models.async_wait(asio::posix::stream_descriptor::wait_read,
                           [this](const boost::system::error_code& error) {
                             if (error == asio::error::operation_aborted) return;
                             models_->reactor->Step();
                             if (core().has_posted()) Wake();
                             WatchModels();
                           });
}

void Hub::SetTimer(Duration longest) {
  loop_->timer.expires_after(longest);
  loop_->timer.async_wait([this](const boost::system::error_code& error) {
    if (!error) Wake();
  });
}

Result<void> Hub::Run() {
  WatchModels();
  Wake();
  while (!loop_->context.stopped()) {
    if (loop_->context.poll_one() != 0) {
      if (commits_) commits_->BeginDue();
      continue;
    }
    if (commits_) commits_->Begin();
    loop_->context.run_one();
  }
  if (error_) return std::unexpected(*error_);
  return {};
}

Result<Hub::End> Hub::Serve(bool until_idle) {
  until_idle_ = until_idle;
  asio::signal_set signals(loop_->context, SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int /*signal*/) {
    if (error) return;
    // The next one ends the process, also when the disk holds up the loop: the journal is made for that.
    signals.clear();
    Report("stopping; again to stop at once");
    Stop();
  });
  if (options_.announces) Report("serving " + directory_.string());
  TRY(Run());
  return end_;
}

Result<Hub::End> Hub::ServePlan(const PlanId& plan) {
  until_plan_ = plan;
  return Serve(true);
}

Result<void> Hub::ServeUntil(const std::function<bool()>& done) {
  until_ = done;
  return Run();
}

}  // namespace agenttalk
