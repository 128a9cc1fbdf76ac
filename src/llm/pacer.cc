#include "llm/pacer.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/time.h"
#include "base/timer.h"

namespace agenttalk {
namespace {

constexpr Duration kOneSign = std::chrono::seconds(1);

}  // namespace

Pacer::Pacer(std::uint32_t requests_per_minute, std::uint64_t tokens_per_minute)
    : requests_(requests_per_minute), tokens_(tokens_per_minute) {}

void Pacer::Forget(MonotonicTime now) {
  while (!window_.empty() && window_.front().at + kWindow <= now) {
    in_window_ -= window_.front().tokens;
    window_.pop_front();
  }
}

MonotonicTime Pacer::EarliestStart(MonotonicTime now, std::uint64_t tokens) {
  Forget(now);
  MonotonicTime earliest = std::max(now, paused_until_);
  if (requests_ != 0 && window_.size() >= requests_) {
    earliest = std::max(earliest, window_[window_.size() - requests_].at + kWindow);
  }
  if (tokens_ == 0) return earliest;
  std::uint64_t used = in_window_;
  for (const Begun& begun : window_) {
    if (used + tokens <= tokens_) break;
    used -= begun.tokens;
    earliest = std::max(earliest, begun.at + kWindow);
  }
  return earliest;
}

std::uint64_t Pacer::Start(MonotonicTime now, std::uint64_t tokens) {
  if (requests_ == 0 && tokens_ == 0) return 0;
  Forget(now);
  window_.push_back({now, ++started_, tokens});
  in_window_ += tokens;
  return started_;
}

void Pacer::Settle(std::uint64_t started, std::uint64_t tokens) {
  const auto found = std::ranges::lower_bound(window_, started, {}, &Begun::number);
  if (found == window_.end() || found->number != started) return;
  in_window_ = in_window_ - found->tokens + tokens;
  found->tokens = tokens;
}

void Pacer::PauseUntil(MonotonicTime when) {
  paused_until_ = std::max(paused_until_, when);
}

void Throttle::OnSuccess() {
  allowed_ = std::min(most_, allowed_ + (allowed_ < doubles_below_ ? 1 : 1 / allowed_));
}

void Throttle::OnRefused(MonotonicTime now) {
  if (last_cut_ != MonotonicTime{} && now - last_cut_ < kOneSign) return;
  last_cut_ = now;
  allowed_ = std::max(1.0, allowed_ / 2);
  doubles_below_ = 0;
}

void Throttle::OnOutage() {
  if (allowed_ <= 1) return;
  doubles_below_ = std::max(doubles_below_, allowed_ / 2);
  allowed_ = 1;
}

}  // namespace agenttalk
