#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "mailbox/watcher.h"
#include "model/command/reading.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "runtime/calls/mcp_access.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/price_check.h"
#include "runtime/calls/provider_choice.h"
#include "runtime/calls/stage_prompt_file.h"
#include "runtime/calls/tool_overview.h"
#include "runtime/config_watch.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "runtime/core/threaded_commits.h"
#include "runtime/files/file_comparison.h"
#include "runtime/files/projection.h"
#include "runtime/node.h"
#include "runtime/reports/past_reader.h"
#include "runtime/retention/plan_archive.h"
#include "runtime/retention/retention.h"
#include "runtime/side_thread.h"
#include "runtime/team.h"
#include "tools/command_tool.h"
#include "tools/tool_registry.h"
#include "tools/tool_runner.h"

namespace boost::asio {
class io_context;
}

namespace agenttalk {

enum class HubMode : std::uint8_t {
  kServe,    // does the work
  kControl,  // possesses the hub and records what it is told, but begins nothing
  kRead,     // looks at what is committed; needs no possession
};

struct HubOptions {
  HubMode mode = HubMode::kServe;
  ProviderChoice providers;
  bool notifications = true;  // false: files are found by the heartbeat's scan alone
  EventObserver* listener = nullptr;
  std::function<void(const std::string&)> report;  // what people should know: folders, disks
  // Asked when nothing continues until somebody brings something: true, that is about to happen here.
  std::function<bool()> stays = {};
  bool announces = true;  // that it serves, and where
  PlanId focus = {};      // works on this plan alone; empty: on all of them
  // Asked before anything is begun, with the unfinished plans of a journal from elsewhere; an error ends the
  // start.
  std::function<Result<void>(const Team&, const std::vector<PlanId>&)> permit = {};
};

// A hub in this process: a Node, and around it what it depends on and what drives it. One thread runs the
// loop, another one commits, a third writes files; ARCHITECTURE.md says what they share.
class Hub final : private EventObserver {
 public:
  // HUB_MISSING, HUB_LOCKED, PROVIDER_MISSING, or what is wrong with the hub's files.
  static Result<std::unique_ptr<Hub>> Open(const std::filesystem::path& directory, HubOptions options);
  ~Hub() override;
  Hub(const Hub&) = delete;
  Hub& operator=(const Hub&) = delete;

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] const Team& team() const { return team_; }
  Core& core() { return node_->core(); }
  Journal& journal() { return *journal_; }
  [[nodiscard]] Timestamp now() const { return clock_.Now(); }
  // Where sockets that belong to the hub are served.
  boost::asio::io_context& loop();

  // What differs between the journal and the files.
  Result<FileComparison> CompareFiles() { return node_->CompareFiles(); }
  // Rebuilds the files that show the journal; `done` is told when all of it is on disk.
  void Repair(std::function<void(Result<MirrorReport>)> done);

  // Makes one plan's files that are not there or not right.
  Result<MirrorReport> Export(const PlanId& plan) { return node_->ExportFiles(plan); }

  // Removes plans that have ended. `done` is told when they are gone.
  void CollectGarbage(RetentionWish wish, Retention::Done done);
  // Writes a plan that has ended as one file, beside the loop where it serves.
  void ArchivePlan(const PlanId& plan, const std::filesystem::path& file,
                   std::function<void(Result<ArchiveReport>)> done);
  // Takes in what such a file held. ALREADY_EXISTS when there is a plan of that id.
  void ImportPlan(PlanArchive archive, std::function<void(Result<PlanArchive>)> done);

  // Tells of a plan as it was after event `at`: beside the loop where it runs, otherwise before this returns.
  void TellOfPast(const PlanId& plan, std::uint64_t at, PastReader::Tell tell, PastReader::Done done);

  // Does it when the present round of the loop has done all else, and written the files that are due.
  void AfterRound(std::function<void()> work);

  // Calls `work`, which needs nothing of the hub, and then `then`: beside the loop where it serves, otherwise
  // before this returns.
  void DoBeside(std::function<void()> work, std::function<void()> then);

  // PROVIDER_MISSING when a budget in USD could not be kept: a task, or without tasks the stages of a goal,
  // would ask a model whose price nobody knows.
  [[nodiscard]] Result<void> CheckPrices(const TaskDag* dag) const {
    return agenttalk::CheckPrices(team_, prices_, dag);
  }
  // Reads a configuration that was edited since: whoever brings work expects the team that the file names
  // now, not at the next heartbeat.
  void RefreshConfiguration();
  // This plan is to advance too, whatever else this process works on.
  void FocusOn(const PlanId& plan);
  // This process makes the plan advance.
  [[nodiscard]] bool WorksOn(const PlanId& plan) const {
    return options_.mode == HubMode::kServe && node_->core().state().InFocus(plan);
  }
  // Why a goal in words cannot be worked on here; nothing: it can.
  [[nodiscard]] const std::optional<Error>& goal_obstacle() const { return goal_obstacle_; }

  // Why nothing can be taken in at the moment.
  [[nodiscard]] std::optional<Error> Unable();
  [[nodiscard]] bool DiskIsFull() { return commits_ && commits_->Stalled(); }

  enum class End : std::uint8_t { kStopped, kDone, kFailed, kWaiting };
  // Serves until a signal (SIGINT, SIGTERM) or Stop ends it, or, with `until_idle`, until nothing continues
  // by itself any more. It ends in good order: what was taken in is durable, and the files show it. A second
  // signal ends the process at once, which loses nothing either. An error: the journal cannot continue.
  Result<End> Serve(bool until_idle);
  // As Serve, until this plan has ended, or continues only when somebody brings something (kWaiting).
  Result<End> ServePlan(const PlanId& plan);
  // Drives the hub until `done`, then ends in good order.
  Result<void> ServeUntil(const std::function<bool()>& done);
  void Stop();
  // Something was submitted or has changed: look.
  void Wake();
  // `look` is told every event once it is durable, for as long as `owner` lives.
  void LookOn(std::weak_ptr<const void> owner, std::function<void(const Event&)> look);

  // The tools of each agent; nothing where they are not used.
  [[nodiscard]] std::optional<std::vector<AgentTools>> ListTools() const;

  // What making commands depends on: for the tool, the verbs and the control interface alike.
  CommandDesk ForCommands();

 private:
  struct Loop;

  Hub(std::filesystem::path directory, Team team, HubOptions options);
  Result<void> Start();
  Result<void> StartReading();
  Result<void> CheckTrust(bool foreign);
  void MakeTools();
  std::function<void(std::function<void()>)> Poster();
  void UseMcpServers(bool wait);
  void AlertPeople(const std::string& text);
  void SettleAlert(const std::string& text);
  Result<void> MakeNode(CommitQueue& commits, Watcher& watcher, NodeOptions node);
  Result<void> Run();

  void Durable(const Event& event) override;
  void Pump();
  Result<PlanSummary> SummaryToArchive(const PlanId& plan);
  std::optional<Error> ImportObstacle(const PlanArchive& archive);
  void Arrive(const std::shared_ptr<PlanArchive>& archive,
              const std::function<void(Result<PlanArchive>)>& done);
  void PumpStop();
  void SettleFiles();
  bool TakeNews();
  void StepNode();
  void CheckIdle();
  bool PlanHasEnded();
  void WatchFolders();
  void WatchModels();
  void SetTimer(Duration longest);
  void NoticeClockJump();
  void NoticeConfiguration();
  void MakeRetention();
  void NoticeOldPlans();
  Result<void> Reconfigure(Team team);
  void ReportStrayInboxes();
  void Report(const std::string& text) const;

  const std::filesystem::path directory_;
  Team team_;
  StagePromptShelf stage_prompts_;
  PriceTags prices_;  // empty where nothing is asked
  const HubOptions options_;
  MachineClocks clocks_;
  EngineClock clock_{clocks_};
  NoTools no_tools_;
  std::unique_ptr<ToolRegistry> tools_;  // where agents work
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FileSystem> files_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<ThreadedCommits> commits_;
  std::optional<ModelAccess> models_;  // only when it serves
  std::unique_ptr<McpAccess> mcp_;     // only when it serves and has MCP servers
  // That came before there was a node.
  std::vector<std::string> alerts_;
  std::set<std::string> settled_;
  std::unique_ptr<Node> node_;
  std::unique_ptr<Retention> retention_;  // none where a hub is only read
  std::unique_ptr<PastReader> past_;      // only when it serves
  std::unique_ptr<SideThread> side_;      // only when it serves
  Timestamp retention_due_;               // when plans that ended long ago are looked for next

  struct Onlooker {
    std::weak_ptr<const void> owner;
    std::function<void(const Event&)> look;
  };
  std::vector<Onlooker> onlookers_;
  std::set<PlanId> touched_;  // plans with events in this run
  std::function<bool()> until_;
  bool until_idle_ = false;
  PlanId until_plan_;  // ends with this plan; empty: none
  bool stopping_ = false;
  bool files_settled_ = false;
  std::optional<std::uint64_t> behind_at_stop_;  // events that the files did not show when the stop began
  Timestamp told_of_stop_;
  End end_ = End::kStopped;
  std::optional<Error> error_;
  std::optional<Error> goal_obstacle_;
  std::optional<ConfigWatch> config_watch_;  // only when it serves
  Timestamp config_due_;                     // when it is looked at next
  std::string config_problem_;               // the last one that was told
  std::map<AgentId, std::size_t> stray_;     // told already
};

}  // namespace agenttalk
