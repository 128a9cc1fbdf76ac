#include "api/page/answer_shelf.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace agenttalk {
namespace {

using std::string_view_literals::operator""sv;

// What changes without an event, the configuration for instance, is told after this time.
constexpr auto kKeptFor = std::chrono::seconds(1);
constexpr std::size_t kMostKept = 32;
constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

}  // namespace

bool AnswerShelf::Holds(std::string_view method) {
  constexpr std::array kShelvedMethods = {"summary"sv, "tasks"sv,  "graph"sv,     "log"sv,
                                          "plans"sv,   "agents"sv, "questions"sv, "spending"sv};
  return std::ranges::find(kShelvedMethods, method) != kShelvedMethods.end();
}

AnswerShelf::Text AnswerShelf::Find(std::string_view method, std::string_view parameters, std::uint64_t seen,
                                    Time now) const {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& one) {
    return one.through >= seen && now < one.made + kKeptFor && one.method == method &&
           one.parameters == parameters;
  });
  return found == kept_.end() ? nullptr : found->answer;
}

void AnswerShelf::Forget(Time now) {
  while (!kept_.empty() &&
         (kept_.size() > kMostKept || bytes_ > kMostBytes || now >= kept_.front().made + kKeptFor)) {
    bytes_ -= kept_.front().answer->size() + kept_.front().parameters.size();
    kept_.pop_front();
  }
}

void AnswerShelf::Keep(std::string_view method, std::string_view parameters, std::uint64_t through,
                       Text answer, Time now) {
  bytes_ += answer->size() + parameters.size();
  kept_.push_back({std::string(method), std::string(parameters), through, std::move(answer), now});
  Forget(now);
}

}  // namespace agenttalk
