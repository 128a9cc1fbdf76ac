#include "runtime/files/write_trouble.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/time.h"
#include "mailbox/mirror.h"
#include "runtime/core/clock.h"

namespace agenttalk {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(5);
constexpr Duration kBetweenReports = std::chrono::minutes(10);

}  // namespace

WriteTrouble::WriteTrouble(Mirror& mirror, const Clock& clock, std::vector<std::string>& problems)
    : mirror_(mirror), clock_(clock), problems_(problems), pause_(kFirstPause) {}

void WriteTrouble::Note(const std::vector<MirrorFailure>& failures) {
  const Timestamp now = clock_.Now();
  for (const MirrorFailure& failure : failures) {
    disk_full_ = disk_full_ || failure.error.code == ErrorCode::kDiskFull;
    const auto [told, is_new] = told_.try_emplace(failure.path, now);
    if (!is_new && now < told->second + kBetweenReports) continue;
    told->second = now;
    problems_.push_back(fmt::format("{}: {}", failure.path, failure.error.message));
  }
}

void WriteTrouble::TryAgain(Timestamp now) {
  if (!mirror_.some_left() && !disk_full_) {
    if (!mirror_.idle()) return;  // it may fail once more
    next_try_.reset();
    pause_ = kFirstPause;
    told_.clear();
    return;
  }
  if (!next_try_ || now < *next_try_) return;
  mirror_.TryAgain();
  disk_full_ = false;
  next_try_.reset();
  pause_ = std::min(2 * pause_, kLongestPause);
}

void WriteTrouble::PlanNextTry(Timestamp now) {
  if ((mirror_.some_left() || disk_full_) && !next_try_) next_try_ = now + pause_;
}

}  // namespace agenttalk
