#include "runtime/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/heap.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "llm/price_table.h"
#include "mailbox/intake.h"
#include "model/config/hub_config.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "runtime/calls/call_desk.h"
#include "runtime/calls/price_check.h"
#include "runtime/calls/profile_composer.h"
#include "runtime/files/file_comparison.h"
#include "runtime/files/projection.h"

namespace agenttalk {
namespace {

// More than anybody sleeps between two steps, less than what a timer would mind.
constexpr Duration kClockJump = std::chrono::seconds(60);
constexpr Duration kCatchUpRetry = std::chrono::seconds(1);

// The prices are those at the time of the call; what was estimated is journaled.
ProfileComposer::Estimate EstimateWith(const ProviderSet& providers) {
  return [tags = TagsOf(providers)](const std::string& provider, const std::string& model,
                                    std::uint64_t tokens, std::uint32_t max_tokens) -> Result<Cost> {
    const auto found = tags.find(provider);
    if (found == tags.end()) return Cost{tokens, 0, 0, 0};
    const PriceTag& tag = found->second;
    if (const auto refused = tag.Refuse(model)) {
      return Fail(refused->code, fmt::format("{}; {}", refused->message, refused->hint));
    }
    const Usage most{tokens, max_tokens != 0 ? max_tokens : tag.answer_tokens, 0, 0};
    return Cost{tokens, most.output_tokens, MicroUsd(most, tag.Of(model).value_or(TokenPrices{})), 0};
  };
}

ProfileComposer::Abilities AbilitiesWith(const ProviderSet& providers) {
  std::map<std::string, ProviderAbilities> known;
  for (const auto& [name, entry] : providers.entries) known[name] = {entry.native_tools, entry.answer_schema};
  return [known = std::move(known)](const std::string& provider) {
    const auto found = known.find(provider);
    return found == known.end() ? ProviderAbilities() : found->second;
  };
}

}  // namespace

Node::Node(const NodeSeams& seams, NodeOptions options)
    : clock_(seams.clock),
      commits_(seams.commits),
      core_(seams.journal, seams.commits, seams.clock),
      composer_(core_.contents(), seams.tools, options.fence_key, options.language,
                EstimateWith(options.providers), std::move(options.stage_prompts),
                AbilitiesWith(options.providers)),
      desk_(core_, std::move(options.providers), seams.tools, seams.clock),
      intake_(seams.files, seams.watcher, known_, options.intake),
      mirror_(seams.files, known_),
      projection_(core_, seams.journal, seams.files, mirror_, seams.clock, options.mirror, options.files),
      audience_(projection_, intake_, options.listener),
      post_(
          core_, intake_,
          [this](const AgentId& agent, const PlanId& plan, const std::string& name) {
            projection_.Restore(agent, plan, name);
          },
          [this] { projection_.ShowNow(); },
          [this](const FoundFile& file, std::string_view bytes) {
            return projection_.IsLeftByCrash(file.place, file.fingerprint, bytes);
          }) {
  core_.Connect(composer_, desk_, &audience_);
}

Result<void> Node::Start(std::uint64_t epoch, const std::string& version, Configuration configuration,
                         std::vector<AgentFolders> folders) {
  last_step_ = clock_.Now();
  TRY(core_.Start(epoch, version));
  intake_.KnowPlans(
      [this](const PlanId& plan) {
        const PlanState* loaded = core_.FindLoaded(plan);
        return loaded != nullptr && loaded->IsLivePlan();
      },
      core_.last_alive());
  core_.Submit(std::move(configuration));
  // What the mirror wrote before the stop must be known before strangers' files are looked for.
  TRY(projection_.CatchUp());
  intake_.SetAgents(std::move(folders));
  intake_.SweepAll();
  return {};
}

void Node::Reconfigure(Configuration configuration, std::vector<AgentFolders> folders,
                       std::optional<ProviderSet> providers) {
  if (providers) {
    composer_.Rate(EstimateWith(*providers), AbilitiesWith(*providers));
    desk_.Replace(*std::move(providers));
  }
  core_.Submit(std::move(configuration));
  intake_.SetAgents(std::move(folders));
}

void Node::NoticeClockJump(Timestamp now) {
  const bool jumped = now < last_step_ || now - last_step_ > kClockJump;
  last_step_ = now;
  if (!jumped) return;
  intake_.SweepAll();
  swept_ = false;
}

// Plans end and their folders stay; only what may come from strangers has to be told from what is ours.
void Node::ForgetOldFiles() {
  known_.ForgetFoldersUnless([this](const std::string& directory) { return intake_.LooksInto(directory); });
  known_folders_most_ = known_.folders() + std::max(kFoldersKnown, known_.folders() / 2);
}

bool Node::Step() {
  const Timestamp now = clock_.Now();
  if (known_.folders() >= known_folders_most_) ForgetOldFiles();
  NoticeClockJump(now);
  desk_.DeliverDue();
  core_.RunPosted();
  desk_.StartNextTools();
  const bool more = core_.has_posted() && core_.Accepts();
  caught_up_ = caught_up_ || projection_.IsCaughtUp();
  const bool more_files = caught_up_ && post_.TakeIn(now);
  if (caught_up_ && !more_files) swept_ = true;
  if (swept_) core_.Tick();
  // Nothing is going to change the plans soon, so there is nothing to gather their changes for.
  const bool resting = !more && !more_files && core_.Settled() && desk_.in_flight() == 0;
  if (resting) projection_.Hasten();
  // One step of one plan, as in a chain: nobody has anything to do until it is durable. With more than one
  // others come meanwhile, and are decided while the disk is waited for.
  if (!more && !more_files && desk_.in_flight() == 0 && core_.unsettled() == 1) commits_.CommitAlone();
  projection_.Flush(resting ? Projection::Flushing::kResting : Projection::Flushing::kBusy);
  core_.ForgetIdle();  // plans that were looked up to write their files
  GiveMemoryBack(now, resting);
  return more || more_files;
}

// A plan of 100,000 tasks takes a hundred times what a server takes at rest; its files are written from it,
// so not before they are. The allocator keeps what is free until it is told, and it is told when there is
// nothing else to do: it takes milliseconds, and work that follows at once would only take the same memory
// again.
void Node::GiveMemoryBack(Timestamp now, bool resting) {
  constexpr auto kQuiet = std::chrono::seconds(1);
  if (const std::uint64_t recorded = core_.state().last_event; recorded != last_recorded_) {
    last_recorded_ = recorded;
    quiet_at_ = now + kQuiet;
    gave_back_ = false;
  }
  if (std::exchange(writes_files_, !projection_.Idle())) quiet_at_ = now + kQuiet;
  // What is still to be shown is read back from the journal.
  if (resting && projection_.is_behind()) core_.contents().Shrink();
  if (writes_files_) return;
  if (resting) {
    core_.ForgetLarge();
    if (core_.TakeUnloadedMany()) ReturnFreeMemory();
  }
  if (gave_back_ || now < quiet_at_ || !core_.Settled()) return;
  gave_back_ = true;
  core_.SnapshotAtRest();
  core_.ForgetAtRest();
  projection_.ForgetAtRest();
  intake_.SleepAtRest();
  ForgetOldFiles();
  ForgetOldFiles();  // the first time leaves what may be about to be written, and nothing is
  ReturnFreeMemory();
}

void Node::Drain() {
  core_.RunPosted();
  projection_.Flush(Projection::Flushing::kResting);
}

Result<FileComparison> Node::CompareFiles() {
  while (!core_.reading() && SettleFiles()) {
  }
  return projection_.Compare();
}

bool Node::SettleFiles() {
  const bool more = projection_.SettleSome();
  core_.ForgetIdle();
  if (known_.folders() >= known_folders_most_) ForgetOldFiles();
  return more;
}

Timestamp Node::NextWake() const {
  if (!caught_up_) return last_step_ + kCatchUpRetry;
  Timestamp wake = post_.wake_at();
  for (const auto& other : {core_.NextDeadline(), desk_.NextDue(), projection_.NextDue()}) {
    if (other) wake = std::min(wake, *other);
  }
  // Not before the second is over, and not again and again when something still goes on then.
  if (!gave_back_ && last_step_ < quiet_at_) wake = std::min(wake, quiet_at_);
  return wake;
}

bool Node::Quiet() const {
  return core_.Settled() && desk_.in_flight() == 0 && projection_.Idle();
}

std::vector<std::string> Node::TakeProblems() {
  std::vector<std::string> problems = post_.TakeProblems();
  for (std::string& problem : projection_.TakeProblems()) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace agenttalk
