#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"
#include "runtime/core/core.h"
#include "simulation/chance.h"
#include "simulation/oracle.h"
#include "tools/tool_runner.h"

// The world's ends of the node's seams: each holds what it was given until the run decides what comes of it.
namespace agenttalk {

class SimCommits final : public CommitQueue {
 public:
  explicit SimCommits(Journal& journal) : journal_(journal) {}
  void Submit(Append append) override { waiting_.push_back(std::move(append)); }

  void SetEpoch(std::uint64_t epoch) { epoch_ = epoch; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  // Commits the first `count` in one go; returns the last event that is durable now.
  std::optional<std::uint64_t> Commit(std::size_t count);
  // What was not committed is lost.
  void Crash() { waiting_.clear(); }

 private:
  Journal& journal_;
  std::uint64_t epoch_ = 0;
  std::deque<Append> waiting_;
};

class SimModel final : public ModelProvider {
 public:
  explicit SimModel(Oracle& oracle) : oracle_(oracle) {}

  std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;

  // Calls under way; cancelled ones are gone.
  [[nodiscard]] std::size_t open() const { return calls_.size(); }
  // Answers one of them, well or badly.
  void ReplyTo(std::size_t index, Chance& chance, bool honest);
  void Crash() { calls_.clear(); }

 private:
  struct Call {
    std::uint64_t id = 0;
    ModelRequest request;
    Done done;
    bool never = false;
  };
  class Handle;
  ModelOutcome Outcome(const Call& call, Chance& chance, bool honest) const;
  void Cancel(std::uint64_t id);

  Oracle& oracle_;
  std::uint64_t next_ = 0;
  std::deque<Call> calls_;
};

// Three tools: `look` may be repeated, `mail` must not, `write` leaves files in the command's folder. The
// folder is taken as the node gives it, and what is left in it is the node's to record.
class SimTools final : public ToolRunner {
 public:
  explicit SimTools(Oracle& oracle) : oracle_(oracle) {}

  [[nodiscard]] std::vector<ToolSpec> ToolsOf(const AgentId& agent) const override;
  [[nodiscard]] std::optional<Error> Refuse(const AgentId& agent, const ToolCall& call) const override;
  [[nodiscard]] bool IsIdempotent(const std::string& tool) const override { return tool != "mail"; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(ToolInvocation invocation, Done done) override;

  [[nodiscard]] std::size_t open() const { return runs_.size(); }
  void Finish(std::size_t index, Chance& chance, bool honest);
  void Crash() { runs_.clear(); }

 private:
  struct OpenRun {
    std::uint64_t id = 0;
    ToolInvocation invocation;
    Done done;
  };
  class Handle;
  // A few files, changed or removed, as a program would.
  void Write(const ToolInvocation& invocation, Chance& chance, ToolOutcomeReport& report);
  void GiveUp(std::uint64_t id);

  Oracle& oracle_;
  std::uint64_t next_ = 0;
  std::deque<OpenRun> runs_;
};

}  // namespace agenttalk
