#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace agenttalk {

// Answers of the last moments. Many pages look at the same plan and ask for the same within a moment of each
// frame of the stream; it is worked out once. A page says which event it has seen (`?seen=`), and is told
// what somebody else was told only if that knows of this event too: what happens later comes with another
// frame, after which the page asks again.
class AnswerShelf {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Text = std::shared_ptr<const std::string>;

  // Whether answers of this method are kept: those that tell of the hub's state, and are asked for often.
  static bool Holds(std::string_view method);
  // Null: there is none that knows of event `seen`.
  [[nodiscard]] Text Find(std::string_view method, std::string_view parameters, std::uint64_t seen,
                          Time now) const;
  // `through`: the last event that the answer is sure to know of.
  void Keep(std::string_view method, std::string_view parameters, std::uint64_t through, Text answer,
            Time now);

 private:
  struct Kept {
    std::string method;
    std::string parameters;
    std::uint64_t through = 0;
    Text answer;
    Time made;
  };

  void Forget(Time now);

  std::deque<Kept> kept_;  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace agenttalk
