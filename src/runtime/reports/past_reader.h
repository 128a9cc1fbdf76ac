#pragma once

#include <atomic>
#include <boost/json/fwd.hpp>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/journal.h"
#include "runtime/reports/past_plan.h"

namespace agenttalk {

// Tells of plans as they were, on a thread and a connection to the journal of its own: a history may take
// long to fold, and the loop decides and commits meanwhile. One fold at a time, whoever asks: a connection
// waits for its answer before it asks again, so that no more can wait than there are connections. Questions
// about the same moment are answered from one fold.
class PastReader {
 public:
  using OpenJournal = std::function<Result<std::shared_ptr<Journal>>()>;
  // `post` runs something on the loop's thread.
  PastReader(OpenJournal open, std::function<void(std::function<void()>)> post);
  ~PastReader();  // what has not been told yet is given up
  PastReader(const PastReader&) = delete;
  PastReader& operator=(const PastReader&) = delete;

  using Tell = std::function<Result<boost::json::value>(const PastPlan&)>;
  using Done = std::function<void(Result<boost::json::value>)>;
  // `tell` is called on the thread, `done` with what it made on the loop's.
  void Ask(const PlanId& plan, std::uint64_t at, Tell tell, Done done);

 private:
  struct Question {
    PlanId plan;
    std::uint64_t at = 0;
    Tell tell;
    Done done;
  };
  // The last fold, for whoever asks about the same moment next.
  struct Kept {
    PlanId plan;
    std::uint64_t at = 0;
    PastPlan past;
  };

  void Run();
  std::optional<Question> Next();  // none: the thread ends
  Result<boost::json::value> Answer(const Question& question);
  [[nodiscard]] bool IsKept(const Question& question) const;

  const OpenJournal open_;
  const std::function<void(std::function<void()>)> post_;
  std::atomic<bool> stop_{false};
  Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Question> questions_ GUARDED_BY(mutex_);
  // Of the thread alone.
  std::shared_ptr<Journal> journal_;
  std::optional<Kept> kept_;
  std::thread thread_;  // begins with the first question
};

}  // namespace agenttalk
