#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "mailbox/mirror.h"
#include "runtime/core/clock.h"

namespace agenttalk {

// What cannot be written: people are told of it, and it is tried again, never without a pause. Whatever it
// is, other files are written meanwhile, unless the disk is full.
class WriteTrouble {
 public:
  WriteTrouble(Mirror& mirror, const Clock& clock, std::vector<std::string>& problems);

  // Each file is told of now and then.
  void Note(const std::vector<MirrorFailure>& failures);
  // Hands what failed to the mirror again if its time has come.
  void TryAgain(Timestamp now);
  void PlanNextTry(Timestamp now);
  [[nodiscard]] const std::optional<Timestamp>& next_try() const { return next_try_; }
  // Nothing can be written until the next try.
  [[nodiscard]] bool disk_full() const { return disk_full_; }

 private:
  Mirror& mirror_;
  const Clock& clock_;
  std::vector<std::string>& problems_;
  std::optional<Timestamp> next_try_;
  Duration pause_;
  bool disk_full_ = false;
  std::map<std::string, Timestamp> told_;  // when, by path
};

}  // namespace agenttalk
