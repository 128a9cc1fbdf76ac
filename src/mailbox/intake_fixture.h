#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "mailbox/intake.h"
#include "mailbox/known_files.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/sim_watcher.h"

// For tests only: intake over a simulated hub with the agents dev and robot (external), under a clock of its
// own.
namespace agenttalk {

class IntakeTest : public ::testing::Test {
 protected:
  IntakeTest() : watcher_(files_), intake_(files_, watcher_, known_) {
    files_.SetTime(now_);
    intake_.SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = std::chrono::seconds(10)},
                       {.id = AgentId("robot"), .external = true, .heartbeat = std::chrono::seconds(10)}});
    Settle();
  }

  IntakeBatch Take(const IntakeBudget& budget = {}) { return intake_.Take(now_, budget); }
  // Everything there is to find now.
  IntakeBatch TakeAll() {
    IntakeBatch all;
    do {
      IntakeBatch batch = Take();
      std::ranges::move(batch.found, std::back_inserter(all.found));
      std::ranges::move(batch.refused, std::back_inserter(all.refused));
      std::ranges::move(batch.problems, std::back_inserter(all.problems));
      all.more = batch.more;
      all.wake_at = batch.wake_at;
    } while (all.more);
    return all;
  }
  void Wait(Duration time) {
    now_ += time;
    files_.SetTime(now_);
  }
  // Sweeps until the folders' mtimes are believed.
  void Settle() {
    for (int i = 0; i < 3; ++i) {
      (void)TakeAll();
      Wait(std::chrono::seconds(10));
    }
    (void)TakeAll();
  }
  static std::vector<std::string> Names(const IntakeBatch& batch) {
    std::vector<std::string> names;
    for (const FoundFile& file : batch.found) names.push_back(file.fingerprint.name);
    return names;
  }
  static std::vector<std::string> RefusedNames(const IntakeBatch& batch) {
    std::vector<std::string> names;
    for (const RefusedFile& file : batch.refused) names.push_back(file.fingerprint.name);
    return names;
  }
  // Follows the wake-up times until something is refused or found, or the limit passes.
  IntakeBatch TakeUntil(Duration limit) {
    const Timestamp end = now_ + limit;
    IntakeBatch batch = TakeAll();
    while (batch.found.empty() && batch.refused.empty() && now_ < end) {
      Wait(std::max<Duration>(std::min(batch.wake_at, end) - now_, Duration(1)));
      batch = TakeAll();
    }
    return batch;
  }

  Timestamp now_{std::chrono::seconds(1'800'000'000)};
  SimFileSystem files_;
  SimWatcher watcher_;
  KnownFiles known_;
  Intake intake_;
};

}  // namespace agenttalk
