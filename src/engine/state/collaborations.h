#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/ids.h"
#include "base/time.h"

// Requests of agents to one another: a part of a plan's state.
namespace agenttalk {

// kGivenUp: the deadline passed, or whoever asked has ended.
enum class CollaborationPhase : std::uint8_t { kOpen, kAnswered, kGivenUp };

// A request of one agent to another, for as long as its plan is remembered: a response that comes twice or
// late is known as such.
struct Collaboration {
  CommandId asker;
  AgentId from;
  AgentId to;
  CommandId work;
  Timestamp deadline;
  std::uint32_t depth = 1;
  CollaborationPhase phase = CollaborationPhase::kOpen;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("asker", self.asker), f("from", self.from), f("to", self.to), f("work", self.work);
    f("deadline", self.deadline), f("depth", self.depth), f("phase", self.phase);
  }
};

// Everybody asks; only the fold (engine/state/collaboration_fold.cc) changes.
class Collaborations {
 public:
  using ByRequest = std::map<std::string, Collaboration>;

  // Null: there is no such request.
  [[nodiscard]] const Collaboration* Find(const std::string& request) const;
  // The request that a command was made for; null: for none.
  [[nodiscard]] const ByRequest::value_type* FindByWork(const CommandId& work) const;

  // Snapshots store the requests as they are.
  [[nodiscard]] const ByRequest& Stored() const { return requests_; }
  ByRequest& Stored() { return requests_; }

  // Fold: a request that is made; one that nobody waits for any more. The first end counts.
  void Open(const std::string& request, Collaboration collaboration);
  void Close(const std::string& request, CollaborationPhase phase);

 private:
  ByRequest requests_;
};

}  // namespace agenttalk
