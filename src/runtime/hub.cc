#include "runtime/hub.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/control_group.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/command/authority.h"
#include "engine/command/sending_rules.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "mailbox/file_system.h"
#include "mailbox/inotify_watcher.h"
#include "mailbox/mirror.h"
#include "mailbox/posix_file_system.h"
#include "mailbox/watcher.h"
#include "model/command/reading.h"
#include "model/config/hub_config.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"
#include "runtime/calls/known_secrets.h"
#include "runtime/calls/mcp_access.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/plan_tools.h"
#include "runtime/calls/provider_choice.h"
#include "runtime/calls/stage_prompt_file.h"
#include "runtime/calls/tool_set.h"
#include "runtime/command_facts.h"
#include "runtime/core/core.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/core/threaded_commits.h"
#include "runtime/hub_home.h"
#include "runtime/hub_loop.h"
#include "runtime/hub_trust.h"
#include "runtime/node.h"
#include "runtime/reports/past_plan.h"
#include "runtime/reports/past_reader.h"
#include "runtime/reports/stray_inbox.h"
#include "runtime/team.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace asio = boost::asio;

// For a hub that is only looked at.
class NoCommits final : public CommitQueue {
 public:
  void Submit(Append /*append*/) override {
    CHECK(false && "nothing is submitted to a hub that is only read");
  }
};

NoCommits& SharedNoCommits() {
  static NoCommits none;
  return none;
}

NodeOptions OptionsFor(const Team& team) {
  NodeOptions options;
  options.language =
      team.config.language == PromptLanguage::kChinese ? Language::kChinese : Language::kEnglish;
  options.mirror = team.config.mirror;
  options.intake.max_command_bytes = team.config.limits.max_command_bytes;
  options.intake.max_input_bytes = team.config.limits.max_input_bytes;
  options.intake.human_heartbeat = team.config.heartbeat_interval;
  return options;
}

}  // namespace

Hub::Hub(fs::path directory, Team team, HubOptions options)
    : directory_(std::move(directory)),
      team_(std::move(team)),
      options_(std::move(options)),
      loop_(std::make_unique<Loop>()) {}

Hub::~Hub() {
  // Their threads read the journal and report to the loop.
  retention_.reset();
  past_.reset();
  side_.reset();
  // The commit thread reports to the loop, so it goes first.
  if (commits_) commits_->Stop();
  // The watcher owns this descriptor.
  if (loop_->folders.is_open()) loop_->folders.release();
  if (loop_->models.is_open()) loop_->models.release();
  // Calls belong to tools, tools to servers, and servers use the models' loop.
  node_.reset();
  tools_.reset();
  mcp_.reset();
}

asio::io_context& Hub::loop() {
  return loop_->context;
}

Result<std::unique_ptr<Hub>> Hub::Open(const fs::path& directory, HubOptions options) {
  Team team = TRY(LoadTeam(directory));
  LearnSecrets(team.config, directory);
  std::unique_ptr<Hub> hub(new Hub(directory, std::move(team), std::move(options)));
  if (hub->options_.mode == HubMode::kRead) {
    TRY(hub->StartReading());
  } else {
    TRY(hub->Start());
  }
  return hub;
}

Result<void> Hub::StartReading() {
  auto journal = SqliteJournal::OpenReadOnly(HomeOf(directory_));
  if (journal) {
    journal_ = std::move(*journal);
  } else if (journal.error().code == ErrorCode::kNotFound) {
    // Nothing has happened here yet.
    journal_ = std::make_unique<MemoryJournal>();
  } else {
    return std::unexpected(std::move(journal).error());
  }
  files_ = TRY(PosixFileSystem::Open(directory_.string()));
  watcher_ = std::make_unique<NoWatcher>();
  TRY(MakeNode(SharedNoCommits(), *watcher_, OptionsFor(team_)));
  return node_->StartReading();
}

// What is begun here belongs to this user from then on; what came from elsewhere only when it may be served.
Result<void> Hub::CheckTrust(bool foreign) {
  const bool serves = options_.mode == HubMode::kServe;
  if (serves && options_.permit) {
    std::vector<PlanId> unfinished;
    if (foreign) {
      for (const StreamInfo& stream : TRY(journal_->Streams(true))) {
        if (!stream.stream.empty()) unfinished.push_back(stream.stream);
      }
    }
    TRY(options_.permit(team_, unfinished));
  }
  if (foreign && !serves) return {};
  auto adopted = AdoptJournal(directory_);
  if (adopted || adopted.error().code != ErrorCode::kPermissionDenied) return adopted;
  Report("the next start will ask whether this hub is trusted: " + adopted.error().message);
  return {};
}

Result<void> Hub::Start() {
  const bool serves = options_.mode == HubMode::kServe;
  journal_ = TRY(TakeJournal(directory_, serves ? Purpose::kServe : Purpose::kRecord));
  // Asked by the journal's holder alone: before, another process may have made it and not yet signed it. One
  // without events is nobody else's.
  TRY(CheckTrust(TRY(journal_->LastEvent()) != 0 && HasForeignJournal(directory_)));
  NodeOptions node = OptionsFor(team_);
  node.fence_key = TRY(FenceKey(directory_));
  node.listener = this;
  stage_prompts_ = StagePromptShelf::Load(directory_, node.language);
  node.stage_prompts = [this](const AgentId& agent, Stage stage) {
    return stage_prompts_.TextFor(agent, stage);
  };
  if (serves) {
    models_ = TRY(ModelAccess::Open(team_.config.limits));
    node.providers = TRY(MakeProviders(team_, directory_, options_.providers, *journal_, *models_,
                                       [this](const std::string& text) { Report(text); }));
    prices_ = TagsOf(node.providers);
    goal_obstacle_ = GoalObstacle(node.providers);
    MakeTools();
    UseMcpServers(true);
  }
  files_ = TRY(PosixFileSystem::Open(directory_.string()));
  // Nobody else writes here: whatever is there was left by a crash.
  (void)RemoveLeftovers(*files_, clock_.Now().time_since_epoch() / std::chrono::nanoseconds(1));
  watcher_ = std::make_unique<NoWatcher>();
  if (serves && !options_.notifications) Report("files are found by scanning alone");
  if (serves && options_.notifications) {
    if (auto inotify = InotifyWatcher::Open(directory_.string())) {
      watcher_ = std::move(*inotify);
    } else {
      Report("no notifications, files are found by scanning alone: " + inotify.error().message);
    }
  }
  const std::uint64_t epoch = TRY(journal_->BeginEpoch());
  TRY(RebuildSummaries(*journal_, epoch, [this](const std::string& text) { Report(text); }));
  commits_ = std::make_unique<ThreadedCommits>(*journal_, epoch, [this] { Wake(); });
  TRY(MakeNode(*commits_, *watcher_, std::move(node)));
  if (!serves) core().Hold();
  if (!options_.focus.empty()) core().FocusOn(options_.focus);
  if (serves) node_->WriteFilesOnThread([this] { Wake(); });
  if (serves) config_watch_.emplace(directory_, team_);
  TRY(node_->Start(epoch, AGENTTALK_VERSION, ToConfiguration(team_), FoldersOf(team_)));
  clock_.NotBefore(core().state().now);
  MakeRetention();
  if (serves) {
    const auto open = [this]() -> Result<std::shared_ptr<Journal>> {
      return TRY(SqliteJournal::OpenReadOnly(HomeOf(directory_)));
    };
    past_ = std::make_unique<PastReader>(open, Poster());
    side_ = std::make_unique<SideThread>(Poster());
    ReportStrayInboxes();
  }
  for (const std::string& text : std::exchange(settled_, {})) SettleAlert(text);
  for (const std::string& text : std::exchange(alerts_, {})) AlertPeople(text);
  return {};
}

// Runs something on the loop's thread, soon.
std::function<void(std::function<void()>)> Hub::Poster() {
  return [this](std::function<void()> work) {
    asio::post(loop_->context, [this, work = std::move(work)] {
      work();
      Wake();
    });
  };
}

void Hub::MakeTools() {
  const PlanAccess plan{
      [this](const PlanId& id) { return core().LookUp(id); },
      [this](const Content& content) -> Result<std::string> { return *TRY(core().contents().Load(content)); },
      [this](Input input, std::function<void(const Reply&)> done) {
        core().Submit(std::move(input), std::move(done));
        Wake();
      },
      [this](const AgentId& from, const AgentId& to) { return ForbidSending(core().state(), from, to); }};
  for (const std::string& problem : team_.problems) Report(problem);
  // Before anything is started, and so that nothing is left of a process that was killed.
  if (UsesSandbox(team_)) (void)ControlGroups::Ours();
  ToolSet set = MakeToolSet(team_, {directory_, Poster(), ForCommands(), plan});
  for (const std::string& problem : set.problems) Report(problem);
  tools_ = std::move(set.registry);
}

// Commands that begin at once already have the tools of servers that start in time.
void Hub::UseMcpServers(bool wait) {
  if (team_.config.mcp_servers.empty()) return;
  mcp_ =
      std::make_unique<McpAccess>(directory_, team_, *models_, *tools_,
                                  McpAccess::Hooks{[this](const std::string& text) { Report(text); },
                                                   [this](const std::string& text) { AlertPeople(text); },
                                                   [this](const std::string& text) { SettleAlert(text); }});
  if (wait) mcp_->WaitForStart();
}

void Hub::AlertPeople(const std::string& text) {
  if (!node_) {
    alerts_.push_back(text);
    return;
  }
  core().Submit(HubAlert{text});
  Wake();
}

// Asked of every tool that is in order, also after a start: whoever accepted it may have done so meanwhile.
void Hub::SettleAlert(const std::string& text) {
  if (!node_) {
    settled_.insert(text);
    return;
  }
  const auto& open = core().state().hub_plan.people.questions();
  const auto is_it = [&](const auto& one) { return one.second.asked.text == text; };
  if (std::ranges::none_of(open, is_it)) return;
  core().Submit(HubAlert{text, true});
  Wake();
}

std::optional<std::vector<AgentTools>> Hub::ListTools() const {
  if (!tools_) return std::nullopt;
  const McpPins none(directory_);
  return OverviewOf(team_, *tools_, mcp_ ? mcp_->pins() : none, [this](const std::string& server) {
    return mcp_ ? mcp_->WhyMissing(server) : fmt::format("the MCP server {} is not started", server);
  });
}

CommandDesk Hub::ForCommands() {
  CommandDesk desk;
  desk.facts = [this](const AgentId& agent) { return CommandFactsFor(core(), team_, agent); };
  desk.may_send = [this](const AgentId& agent) {
    const auto found = team_.agents.find(agent);
    if (found == team_.agents.end()) return false;
    const auto& granted = found->second.permissions;
    return std::ranges::find(granted, kSendCommand) != granted.end();
  };
  desk.keep_number = [this](const Command& command, const AgentId& agent,
                            std::function<void(Result<void>)> done) {
    core().Submit(NumberRequest{command.plan_id, command.task_id, command.command_seq, agent},
                  [done = std::move(done)](const Reply& /*reply*/) { done({}); });
    Wake();
  };
  return desk;
}

Result<void> Hub::MakeNode(CommitQueue& commits, Watcher& watcher, NodeOptions node) {
  ToolRunner& tools = tools_ ? static_cast<ToolRunner&>(*tools_) : no_tools_;
  node_ =
      std::make_unique<Node>(NodeSeams{*journal_, commits, clock_, *files_, watcher, tools}, std::move(node));
  return {};
}

void Hub::Durable(const Event& event) {
  if (until_idle_ && !event.plan_id.empty()) touched_.insert(event.plan_id);
  if (options_.listener != nullptr) options_.listener->Durable(event);
  for (const Onlooker& onlooker : onlookers_) {
    if (const auto alive = onlooker.owner.lock()) onlooker.look(event);
  }
}

void Hub::LookOn(std::weak_ptr<const void> owner, std::function<void(const Event&)> look) {
  std::erase_if(onlookers_, [](const Onlooker& onlooker) { return onlooker.owner.expired(); });
  onlookers_.push_back({std::move(owner), std::move(look)});
}

void Hub::Report(const std::string& text) const {
  if (options_.report) options_.report(text);
}

void Hub::TellOfPast(const PlanId& plan, std::uint64_t at, PastReader::Tell tell, PastReader::Done done) {
  if (past_) {
    past_->Ask(plan, at, std::move(tell), std::move(done));
    return;
  }
  const auto past = FoldUntil(*journal_, plan, at);
  done(past ? tell(*past) : std::unexpected(past.error()));
}

void Hub::DoBeside(std::function<void()> work, std::function<void()> then) {
  if (side_) {
    side_->Do(std::move(work), std::move(then));
    return;
  }
  work();
  then();
}

void Hub::Repair(std::function<void(Result<MirrorReport>)> done) {
  // First of all: should this be interrupted, the next start begins from nothing as well.
  core().Submit(MirrorProgress{0}, [this, done = std::move(done)](const Reply& /*reply*/) {
    done(node_->RepairFiles());
    Wake();
  });
  Wake();
}

std::optional<Error> Hub::Unable() {
  // Locked, not refused: whoever asks in a moment finds the hub free, or served by the next process.
  if (stopping_) return Error{ErrorCode::kHubLocked, "the hub is being stopped", "try again in a moment"};
  if (core().failure()) return core().failure();
  if (DiskIsFull()) {
    return Error{ErrorCode::kDiskFull, "the disk is full, nothing can be recorded",
                 "make space, then try again"};
  }
  return std::nullopt;
}

}  // namespace agenttalk
