#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "mailbox/mirror.h"
#include "model/events/event.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"

namespace agenttalk {

// The status file of each plan: which of them are behind their plan, and when they are written again. They
// are replaced over and over, which file systems make slow (ext4 pushes a file's data out when it is renamed
// over another), so that with a hundred busy plans they took most of the loop's time: now it is a
// twenty-fifth.
class StatusFiles {
 public:
  StatusFiles(Core& core, Mirror& mirror, const Clock& clock, std::vector<std::string>& problems)
      : core_(core), mirror_(mirror), clock_(clock), problems_(problems) {}

  // The file of the event's plan is behind.
  void NoteChanged(const Event& event);
  void NoteChanged(const PlanId& plan) { behind_.insert(plan); }
  [[nodiscard]] bool none_behind() const { return behind_.empty(); }
  [[nodiscard]] bool MayWrite() const { return clock_.Now() >= written_ + delay_; }
  // When MayWrite will be true.
  [[nodiscard]] Timestamp due_at() const { return written_ + delay_; }
  // They may be written at once, however young the last ones are.
  void Hasten() { written_ = {}; }

  void Write(const PlanId& plan);
  // All that are behind.
  void WriteAll();
  // Those that are small enough to be written beside other work, when they may.
  void WriteSmall();
  // Those of plans that nothing happens to any more.
  void WriteEnded();
  // What was written since `start` says how long the next ones have to wait.
  void Pace(Timestamp start);
  // They are no longer told of as behind.
  std::set<PlanId> TakeBehind();

 private:
  // At once, or when what it tells is durable.
  void Publish(const PlanState& plan);

  Core& core_;
  Mirror& mirror_;
  const Clock& clock_;
  std::vector<std::string>& problems_;
  std::set<PlanId> behind_;
  std::map<PlanId, std::uint64_t> waits_;  // for its plan's event to be durable; newer ones take its place
  Timestamp written_;
  Duration delay_{};  // at the least, until they are written again
};

}  // namespace agenttalk
