#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "engine/turn/input.h"
#include "journal/memory_journal.h"
#include "mailbox/intake.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/sim_watcher.h"
#include "runtime/core/clock.h"
#include "runtime/node.h"
#include "simulation/chance.h"
#include "simulation/dag_plans.h"
#include "simulation/oracle.h"
#include "simulation/parts.h"

namespace agenttalk {

// The machine's clocks. Only the wall clock can be set.
class SimClocks final : public ClockSource {
 public:
  explicit SimClocks(Timestamp start) : wall_(start) {}
  [[nodiscard]] Timestamp Wall() const override { return wall_; }
  [[nodiscard]] Duration Running() const override { return running_; }
  void Pass(Duration time) {
    wall_ += time;
    running_ += time;
  }
  void SetWall(Timestamp to) { wall_ = to; }

 private:
  Timestamp wall_;
  Duration running_{};
};

// One hub from one seed: strangers drop files, models and tools answer or do not, people control plans,
// commits take their time, notifications get lost, the clock jumps, disks fill, and the process dies between
// any two of these. The journal, the disk and the oracle outlive it.
class World {
 public:
  explicit World(std::uint64_t seed);
  ~World();

  // Throws Violation when a promise is broken.
  void Run();
  // What happened, for whoever replays a seed.
  [[nodiscard]] const std::vector<std::string>& diary() const { return diary_; }
  [[nodiscard]] const Oracle& oracle() const { return oracle_; }
  [[nodiscard]] const DagPlans& dags() const { return dags_; }
  [[nodiscard]] std::uint64_t crashes() const { return crashes_; }

 private:
  void Boot();
  void Crash();
  // In good order: everything is recorded and shown before the process ends; another one starts.
  void StopAndStart();
  // The node works until it has nothing to do; nobody answers anything meanwhile. False: there was no end of
  // it.
  bool ComeToRest();
  void Act();
  void Quiesce();

  void SubmitDag();
  void DropCommand();
  void DropInput();
  void DropRubbish();
  void SendCommand();
  void ControlPlan();
  void AnswerQuestion(bool approve);
  void AnswerExternal();
  void MoveClock();
  void SetWallClock(Duration by);
  void Commit();
  void FillOrFreeDisk();
  void ForgetLostFiles();

  std::string CommandText(const std::string& plan, const std::string& id);
  std::string SomeName();
  Configuration MakeConfiguration() const;
  void Read();
  void Check();
  void CheckAgainstFreshFold();
  void CheckHubSnapshot();
  void CheckFiles();
  // An external agent finds each of its open commands once, and no other.
  void CheckDeliveries();
  void Note(std::string what) { diary_.push_back(std::move(what)); }

  Chance chance_;
  SimClocks clocks_;
  std::unique_ptr<EngineClock> clock_;  // of the process that runs
  MemoryJournal journal_;
  SimFileSystem files_;
  DagPlans dags_;
  Oracle oracle_;
  SimCommits commits_;
  SimModel model_;
  SimTools tools_;
  std::unique_ptr<SimWatcher> watcher_;
  std::unique_ptr<Node> node_;
  std::uint64_t crashes_ = 0;
  bool calm_ = false;
  bool disk_fails_ = false;
  // So small in some runs that the files fall behind, and are read back from the journal in many parts.
  ProjectionLimits file_limits_;
  bool lazy_;  // files are put off until plans end
  std::uint64_t next_command_ = 0;
  std::uint64_t next_client_ = 0;
  // Complete files that strangers dropped: what a power cut takes before it was taken in is theirs to lose.
  std::map<std::string, std::pair<Oracle::CommandKey, std::string>> dropped_;
  std::vector<std::string> diary_;
};

}  // namespace agenttalk
