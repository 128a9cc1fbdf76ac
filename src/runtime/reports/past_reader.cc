#include "runtime/reports/past_reader.h"

#include <pthread.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/thread_priority.h"
#include "journal/journal.h"
#include "runtime/reports/past_plan.h"

namespace agenttalk {
namespace {

// Somebody who drags through time asks again within a second; a fold of a large plan takes much memory.
constexpr auto kKeepFor = std::chrono::seconds(5);

}  // namespace

PastReader::PastReader(OpenJournal open, std::function<void(std::function<void()>)> post)
    : open_(std::move(open)), post_(std::move(post)) {}

PastReader::~PastReader() {
  stop_ = true;
  {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void PastReader::Ask(const PlanId& plan, std::uint64_t at, Tell tell, Done done) {
  {
    const MutexLock lock(mutex_);
    questions_.push_back({plan, at, std::move(tell), std::move(done)});
    changed_.notify_all();
  }
  if (thread_.joinable()) return;
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "past");
}

bool PastReader::IsKept(const Question& question) const {
  return kept_ && kept_->at == question.at && kept_->plan == question.plan;
}

std::optional<PastReader::Question> PastReader::Next() {
  MutexLock lock(mutex_);
  while (questions_.empty() && !stop_) {
    if (!kept_) {
      lock.Wait(changed_);
    } else if (lock.WaitUntil(changed_, std::chrono::steady_clock::now() + kKeepFor) ==
               std::cv_status::timeout) {
      kept_.reset();
    }
  }
  if (stop_) return std::nullopt;
  auto next = std::ranges::find_if(questions_, [this](const Question& one) { return IsKept(one); });
  if (next == questions_.end()) next = questions_.begin();
  Question question = std::move(*next);
  questions_.erase(next);
  return question;
}

Result<boost::json::value> PastReader::Answer(const Question& question) {
  if (!IsKept(question)) {
    kept_.reset();
    if (journal_ == nullptr) journal_ = TRY(open_());
    kept_ = Kept{question.plan, question.at, TRY(FoldUntil(*journal_, question.plan, question.at, &stop_))};
  }
  return question.tell(kept_->past);
}

void PastReader::Run() {
  GiveWay();
  while (std::optional<Question> question = Next()) {
    auto answer = std::make_shared<Result<boost::json::value>>(Answer(*question));
    post_([answer, done = std::move(question->done)] { done(std::move(*answer)); });
  }
}

}  // namespace agenttalk
