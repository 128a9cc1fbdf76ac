#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "engine/state/hub_state.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "simulation/seen_files.h"
#include "tools/tool_runner.h"

namespace agenttalk {

class DagPlans;

// A promise was broken.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Stands outside of the node and outlives its crashes: it remembers what was promised and what happened, and
// reads the journal for itself.
class Oracle {
 public:
  // `dags` is told what becomes durable, and asked about plans with a DAG.
  explicit Oracle(DagPlans& dags) : dags_(dags) {}

  using CallKey = std::tuple<std::string, std::string, std::uint32_t>;  // plan, command, number
  using CommandKey = std::pair<std::string, std::string>;               // plan, command

  // New rows of the journal.
  void ReadJournal(Journal& journal);

  // The node acknowledged a command to its sender.
  void Acknowledged(const CommandKey& command) { acknowledged_.insert(command); }
  // A complete, valid command file was dropped.
  void Dropped(const CommandKey& command, const std::string& path) { dropped_[command] = path; }

  // A stranger wrote an input of this name for the agent, with this content.
  void InputDropped(const std::string& agent, const std::string& name, const std::string& content) {
    inputs_[{agent, name}].insert(content);
  }

  // What was seen in the folders; to be asked after every step.
  SeenFiles& seen_files() { return seen_files_; }

  // A power cut took the file; if it was not taken in before, nobody can.
  void Lost(const CommandKey& command) {
    if (!received_.contains(command)) dropped_.erase(command);
  }

  // A provider or tool is asked: the intent must be durable, and no outcome may be recorded yet.
  void ModelAsked(const CallKey& call);
  void ToolRun(const CallKey& call, bool idempotent);

  // A tool is given its command's folder: it must be what the journal says that tools left there.
  void FolderGiven(const ToolInvocation& invocation) const;
  // A reader was told that the command has succeeded.
  void Told(const CommandKey& command) { told_.insert(command); }
  // What a tool left in its command's folder, as its outcome. It may be lost before it is recorded; recorded,
  // it is recorded whole and once.
  void FilesLeft(const CallKey& call, const ToolOutcomeReport& report) { left_[call] = report; }

  // True at every moment, whatever happens. `undecided`: inputs are being taken in, and commands that have
  // all of theirs by now are decided about when everything is.
  void CheckState(const HubState& state, bool undecided) const;
  // True of what the journal holds, after every crash.
  void CheckJournal() const;
  // True after every start.
  void CheckFolders(const HubState& state) const;
  // True when nothing is left to do.
  void CheckEnd(const HubState& state) const;

  [[nodiscard]] std::size_t received() const { return received_.size(); }
  [[nodiscard]] std::size_t model_calls() const { return model_calls_; }
  [[nodiscard]] std::size_t tool_runs() const { return tool_runs_.size(); }
  [[nodiscard]] std::size_t captured() const { return captured_; }

 private:
  using Folder = std::map<std::string, Digest>;  // by name

  void Read(const Event& event);
  void ReadFiles(const std::string& plan, const ToolCallFinished& finished);
  void CheckResult(const std::string& plan, const CommandSucceeded& succeeded) const;
  void CheckInput(const Event& event, const InputArrived& arrived) const;
  void CheckNobodyWaitsInVain(const HubState& state, const PlanState& plan) const;
  static void CheckTaskWaits(const PlanState& plan, const CommandRecord& record);

  DagPlans& dags_;
  SeenFiles seen_files_;
  std::uint64_t read_to_ = 0;
  std::set<CommandKey> acknowledged_;
  std::set<CommandKey> told_;
  std::map<CommandKey, std::string> dropped_;                                    // the file of each
  std::map<std::pair<std::string, std::string>, std::set<std::string>> inputs_;  // of agent and name
  std::map<CommandKey, int> received_;
  std::map<CommandKey, int> succeeded_;
  std::set<CommandKey> refused_;
  std::set<std::string> unreadable_;  // files, by their path
  std::set<CallKey> asked_;           // model calls, by their number among the command's model calls
  std::set<CallKey> answered_;        // those with an outcome
  std::map<CallKey, std::uint32_t> model_call_of_;
  std::set<CallKey> intended_;  // tool calls
  std::set<CallKey> finished_;
  std::map<CallKey, int> tool_runs_;
  std::map<CallKey, ToolOutcomeReport> left_;  // of the last run of each call
  std::map<CommandKey, Folder> folders_;       // outputs/ of each command, as recorded
  std::size_t captured_ = 0;
  std::size_t model_calls_ = 0;
};

}  // namespace agenttalk
