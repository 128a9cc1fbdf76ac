#include "runtime/core/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/plant.h"
#include "base/time.h"
#include "engine/engine.h"
#include "engine/role/parts.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_snapshot.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/clock.h"
#include "runtime/core/content_store.h"
#include "runtime/core/history_entry.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/core/seeded_bugs.h"
#include "runtime/core/snapshot_due.h"

namespace agenttalk {
namespace {

// Every start reads the hub's own stream, whose rows are far apart; its snapshot is small.
constexpr std::uint64_t kFewestHubRows = 256;
constexpr std::size_t kVeryLarge = 10'000;
// What steps use again comes within a few hundred of them; more would only make a busy server larger.
constexpr std::size_t kContentCache = std::size_t{8} << 20;
// Posted inputs that are done with and still keep their places.
constexpr std::size_t kMostSubmittedKept = 256;

}  // namespace

Core::Core(Journal& journal, CommitQueue& commits, const Clock& clock)
    : journal_(journal), commits_(commits), clock_(clock), contents_(journal, kContentCache) {}

void Core::Connect(RequestComposer& composer, Performer& performer, EventObserver* observer,
                   const RoleParts& role) {
  engine_ = std::make_unique<Engine>(contents_, composer, role);
  composer_ = &composer;
  performer_ = &performer;
  observer_ = observer;
}

Result<void> Core::Start(std::uint64_t epoch, const std::string& version) {
  TRY(Recover());
  last_alive_ = engine_->state().now;
  engine_->FindUndecided();
  resume_at_ = start_event_ = engine_->state().last_event + 1;
  if (!held_) {
    engine_->ForEachOpenCall([this](const PlanState& /*plan*/, const CommandRecord& /*record*/,
                                    const OpenCall& call) { performer_->MayHaveBegun(call); });
  }
  Submit(NodeStart{epoch, version, !held_});
  return {};
}

Result<void> Core::StartReading() {
  reading_ = true;
  committed_ = TRY(journal_.LastEvent());
  return Recover();
}

void Core::Hold() {
  held_ = true;
  engine_->HoldStarts();
}

void Core::Submit(Input&& input, Done done) {
  if (failure_) return;
  if (const auto moving = moving_.find(Engine::PlanOf(input)); moving != moving_.end()) {
    moving->second.waiting.emplace_back(std::move(input), std::move(done));
    return;
  }
  if (auto loaded = EnsureLoaded(Engine::PlanOf(input)); !loaded) {
    CommitFailed(std::move(loaded).error());
    return;
  }
  Engine::Decided decided = engine_->Handle(std::move(input), clock_.Now());
  CancelAbandoned(decided.events);
  Unsettled unsettled;
  unsettled.reply = std::move(decided.reply);
  unsettled.done = std::move(done);
  if (decided.events.empty()) {
    // Nothing new to wait for, but what it tells of may itself not be durable yet.
    unsettled.last_event = unsettled_.empty() ? committed_ : unsettled_.back().last_event;
    if (unsettled_.empty()) {
      Settle(unsettled);
    } else {
      unsettled_.push_back(std::move(unsettled));
    }
    return;
  }
  Append append = MakeAppend(decided.events);
  unsettled.last_event = decided.events.back().number;
  unsettled.events = std::make_shared<std::vector<Event>>(std::move(decided.events));
  if (Planted("ack_early") && unsettled.done) std::exchange(unsettled.done, {})(unsettled.reply);
  unsettled_.push_back(std::move(unsettled));
  commits_.Submit(std::move(append));
}

void Core::WhenDurable(std::function<void()> done) {
  if (unsettled_.empty() || Planted("tell_early")) {
    done();
    return;
  }
  Unsettled unsettled;
  unsettled.last_event = unsettled_.back().last_event;
  unsettled.done = [done = std::move(done)](const Reply& /*reply*/) { done(); };
  unsettled_.push_back(std::move(unsettled));
}

void Core::WatchForRemoval(const std::vector<PlanId>& plans) {
  watched_.clear();
  spared_.clear();
  stored_meanwhile_.clear();
  for (const PlanId& id : plans) {
    const PlanState* plan = engine_->state().FindPlan(id);
    const bool in_use = plan != nullptr && (plan->IsLivePlan() || plan->last_event > committed_);
    if (in_use) {
      spared_.push_back(id);
      continue;
    }
    if (plan != nullptr) engine_->Unload(PlanId(id));
    watched_.insert(id);
  }
  if (plans.empty()) return;
  contents_.ForgetCommitted();
  composer_->ForgetKept();
}

std::vector<PlanId> Core::TakeSpared() {
  return std::exchange(spared_, {});
}

void Core::SubmitRemoval(PlanRemoval input, std::vector<Removal> removals, bool rewrite_file, Done done) {
  constexpr std::uint32_t kPagesGivenBack = 2048;  // 32 MiB
  std::vector<PlanId> gone;
  for (Removal& removal : removals) {
    CHECK(watched_.erase(removal.stream) > 0);
    std::erase_if(removal.blobs, [&](const Digest& digest) { return stored_meanwhile_.contains(digest); });
    moving_[removal.stream].leaves = true;
    gone.push_back(removal.stream);
  }
  beside_.removals = std::move(removals);
  beside_.give_back_pages = kPagesGivenBack;
  beside_.rewrite_file = rewrite_file;
  Submit(std::move(input), [this, gone = std::move(gone), done = std::move(done)](const Reply& reply) {
    for (const PlanId& plan : gone) EndMove(plan);
    if (done) done(reply);
  });
}

void Core::SubmitImport(PlanArrival input, ImportedStream stream, std::vector<NewContent> contents,
                        Done done) {
  // Its events keep their numbers, and new ones come after all that are known.
  if (input.imported.last_event > engine_->state().last_event) {
    engine_->ContinueAfter(input.imported.last_event);
    beside_.skip_to = input.imported.last_event + 1;
  }
  BeginMove(stream.stream);
  beside_.imports.push_back(std::move(stream));
  beside_.blobs = std::move(contents);
  const PlanId plan = input.imported.plan_id;
  Submit(std::move(input), [this, plan, done = std::move(done)](const Reply& reply) {
    EndMove(plan);
    if (done) done(reply);
  });
}

void Core::BeginMove(const PlanId& plan) {
  moving_.try_emplace(plan);
  // Somebody named it before it was there.
  const PlanState* named = engine_->state().FindPlan(plan);
  if (named != nullptr && named->last_event == 0) engine_->Unload(PlanId(plan));
}

// What came for the plan meanwhile is about what is there now.
void Core::EndMove(const PlanId& plan) {
  auto moved = moving_.extract(plan);
  for (auto& [input, done] : moved.mapped().waiting) Submit(std::move(input), std::move(done));
}

Append Core::MakeAppend(const std::vector<Event>& events) {
  Append append = std::exchange(beside_, {});
  ContentStore::Gathered gathered = contents_.TakeGathered();
  std::ranges::move(gathered.blobs, std::back_inserter(append.blobs));
  // From the moment at which plans are watched the journal's contents count as unknown, so these may be some
  // that it holds, and that the search has found only the plans to name.
  if (!watched_.empty()) {
    for (const NewContent& blob : append.blobs) stored_meanwhile_.insert(blob.digest);
  }
  for (std::size_t begin = 0; begin < events.size();) {
    std::size_t end = begin + 1;
    while (end < events.size() && events[end].plan_id == events[begin].plan_id) ++end;
    const PlanState& plan = engine_->AddRow(events[begin].plan_id);
    JournalRow row;
    row.stream = plan.id;
    row.version = plan.version;
    row.first_event = events[begin].number;
    row.event_count = static_cast<std::uint32_t>(end - begin);
    const auto own = std::span(events).subspan(begin, end - begin);
    row.events = Planted("drop_intent") ? EncodeEvents(WithoutIntents(own)) : EncodeEvents(own);
    row.live = plan.id.empty() || plan.IsLivePlan();
    row.contents.reserve(gathered.in_rows.size());
    for (auto& [number, content] : gathered.in_rows) {
      if (number == row.first_event) row.contents.push_back(std::move(content));
    }
    if (!plan.id.empty() && (row.version == 1 || !row.live)) {
      row.summary = std::make_shared<const PlanSummary>(SummaryOf(plan));
    }
    append.rows.push_back(std::move(row));
    if (!append.rows.back().live) {
      if (auto directory = DirectoryOf(plan)) append.directories.push_back(*std::move(directory));
    }
    if (!plan.id.empty() && !plan.IsLivePlan()) NoteIdle(&plan);
    begin = end;
  }
  AddSnapshots(append);
  return append;
}

bool Core::WantsSnapshot(const PlanState& plan) const {
  const std::uint64_t since = plan.version - plan.snapshot_version;
  if (plan.id.empty()) return since >= std::max<std::uint64_t>(kFewestHubRows, PartsOf(engine_->state()));
  const std::size_t parts = std::max<std::size_t>(plan.commands.size(), plan.dag ? plan.dag->size() : 0);
  // Of a very large plan a snapshot takes as much memory as the plan. When it is about to end nobody will
  // need one any more; a start before that reads the rows.
  if (plan.dag && plan.dag->size() >= kVeryLarge &&
      plan.dag->completed() >= plan.dag->size() - plan.dag->size() / 50) {
    return false;
  }
  return IsSnapshotDue(since, parts);
}

Snapshot Core::TakeSnapshot(const PlanState& plan) {
  engine_->MarkSnapshot(plan.id);
  return {plan.id, plan.version, plan.last_event,
          plan.id.empty() ? EncodeHub(engine_->state()) : EncodePlan(plan)};
}

void Core::SnapshotAtRest() {
  if (reading_ || failure_ || !unsettled_.empty()) return;
  Append append;
  for (const auto& [id, plan] : engine_->state().plans) {
    const bool far_behind = plan->version - plan->snapshot_version >= kFewestRowsBetweenSnapshots;
    if (far_behind && plan->IsLivePlan()) append.snapshots.push_back(TakeSnapshot(*plan));
  }
  if (!append.snapshots.empty()) commits_.Submit(std::move(append));
}

// The state is that after all rows of the append, so only the last row of a stream can have a snapshot.
void Core::AddSnapshots(Append& append) {
  for (const JournalRow& row : append.rows) {
    const PlanState& plan = *engine_->state().FindPlan(row.stream);
    if (row.version != plan.version || !WantsSnapshot(plan)) continue;
    append.snapshots.push_back(TakeSnapshot(plan));
  }
}

void Core::Committed(std::uint64_t event) {
  if (failure_) return;
  ForgetIdle();  // before, not after: whoever is told of these events may want to look at their plans
  committed_ = std::max(committed_, event);
  contents_.Committed(committed_);
  while (!unsettled_.empty() && unsettled_.front().last_event <= committed_) {
    // Taken out first: settling may submit new inputs.
    Unsettled settled = std::move(unsettled_.front());
    unsettled_.pop_front();
    Settle(settled);
  }
  if (resume_at_ != 0 && resume_at_ <= committed_) {
    resume_at_ = 0;
    ResumeOpenCalls();
  }
}

void Core::CommitFailed(Error error) {
  if (!failure_) failure_ = std::move(error);
}

void Core::Settle(Unsettled& settled) {
  if (settled.events && observer_ != nullptr) {
    for (const Event& event : *settled.events) {
      observer_->DurableShared(std::shared_ptr<const Event>(settled.events, &event));
    }
  }
  if (settled.done) settled.done(settled.reply);
  if (!settled.events) return;
  for (const Event& event : *settled.events) Perform(event);
  if (settled.events.use_count() == 1) engine_->Recycle(std::move(*settled.events));
}

void Core::Perform(const Event& event) {
  if (held_ || !state().InFocus(event.plan_id)) return;
  if (const auto* closed = std::get_if<QuestionClosed>(&event.body)) {
    performer_->QuestionEnded(event.plan_id, *closed);
    return;
  }
  const CommandId* command = nullptr;
  std::uint32_t number = 0;
  if (const auto* model = std::get_if<ModelCallIntended>(&event.body)) {
    command = &model->command_id;
    number = model->call;
  } else if (const auto* tool = std::get_if<ToolCallIntended>(&event.body)) {
    command = &tool->command_id;
    number = tool->call;
  } else {
    return;
  }
  // The calls of an earlier run are resumed together once the start is durable.
  if (resume_at_ != 0 && event.number < resume_at_) return;
  const PlanState* plan = engine_->state().FindPlan(event.plan_id);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(*command);
  if (record == nullptr || record->state != CommandState::kRunning) return;
  const auto& open = record->execution->open;
  const auto call = std::ranges::find(open, number, &OpenCall::call);
  if (call == open.end()) return;
  const OpenCall copy = *call;  // starting it may end the command
  if (copy.model_call != 0) {
    performer_->StartModelCall(*plan, *record, copy);
  } else {
    performer_->StartToolCall(*plan, *record, copy);
  }
}

void Core::ResumeOpenCalls() {
  if (held_) return;
  if (Planted("rerun_step")) RerunRecordedCalls(journal_, engine_->state(), *performer_);
  struct Lost {
    PlanId plan;
    CommandId command;
    OpenCall call;
  };
  std::vector<Lost> lost;
  engine_->ForEachOpenCall([&](const PlanState& plan, const CommandRecord& record, const OpenCall& call) {
    // What this run intended was begun when it became durable, and may have been answered already.
    if (call.event < start_event_ && state().InFocus(plan.id)) lost.push_back({plan.id, record.id, call});
  });
  std::ranges::sort(lost, {}, [](const Lost& one) { return one.call.event; });
  for (const Lost& one : lost) ResumeCall(one.plan, one.command, one.call);
}

void Core::ResumeCall(const PlanId& plan_id, const CommandId& command, const OpenCall& call) {
  if (!call.idempotent && call.event < start_event_) {
    Submit(ToolCallDone{plan_id, command, call.call, {}, ErrorCode::kOutcomeUnknown, {}});
    return;
  }
  const PlanState* plan = engine_->state().FindPlan(plan_id);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(command);
  if (record == nullptr || record->state != CommandState::kRunning) return;
  if (call.model_call != 0) {
    performer_->StartModelCall(*plan, *record, call);
  } else {
    performer_->StartToolCall(*plan, *record, call);
  }
}

void Core::FocusOn(const PlanId& id) {
  // Before the start is durable nothing is performed; ResumeOpenCalls covers the plan then.
  if (!engine_->FocusOn(id)) return;
  refocused_ = true;
  if (start_event_ == 0 || resume_at_ != 0 || held_) return;
  // While the plan was out of focus none of its calls was made.
  std::vector<std::pair<CommandId, OpenCall>> open;
  engine_->ForEachOpenCall([&](const PlanState& plan, const CommandRecord& record, const OpenCall& call) {
    // One whose intent is not durable yet begins when it is.
    if (plan.id == id && call.event <= committed_) open.emplace_back(record.id, call);
  });
  for (const auto& [command, call] : open) ResumeCall(id, command, call);
}

void Core::CancelAbandoned(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (const auto* ended = std::get_if<CommandEnded>(&event.body)) {
      performer_->CancelCalls(event.plan_id, ended->command_id);
    } else if (const auto* failed = std::get_if<AttemptFailed>(&event.body)) {
      performer_->CancelCalls(event.plan_id, failed->command_id);
    } else if (const auto* requeued = std::get_if<CommandRequeued>(&event.body)) {
      performer_->CancelCalls(event.plan_id, requeued->command_id);
    }
  }
}

bool Core::RunPosted() {
  if (!has_posted()) return false;
  while (has_posted() && Accepts()) {
    // Taken out first: handling it may post others.
    Input input = std::move(posted_[next_posted_++]);
    if (!has_posted() || next_posted_ == kMostSubmittedKept) {
      posted_.erase(posted_.begin(), posted_.begin() + static_cast<std::ptrdiff_t>(next_posted_));
      next_posted_ = 0;
    }
    Submit(std::move(input));
  }
  return true;
}

void Core::DecideInputs() {
  if (!engine_->has_undecided()) {
    engine_->StopGathering();
    return;
  }
  Submit(InputsTaken{});
}

void Core::Tick() {
  const auto next = engine_->NextDeadline();
  const bool due = next && *next <= clock_.Now();
  // A plan that came into focus has commands that were ready before.
  if (std::exchange(refocused_, false) || due) Submit(agenttalk::Tick{});
}

}  // namespace agenttalk
