#pragma once

#include <cstdint>
#include <map>

#include "base/time.h"
#include "model/events/message_events.h"
#include "model/events/question_events.h"

// What people are asked and told about a plan: a part of its state.
namespace agenttalk {

struct OpenQuestion {
  QuestionAsked asked;
  Timestamp asked_at;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("asked", self.asked), f("asked_at", self.asked_at);
  }
};

struct OpenLetter {
  DeadLettered letter;
  Timestamp at;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("letter", self.letter), f("at", self.at);
  }
};

// What is stored of it, each by the number of the event that opened it: the oldest first.
struct PeopleRecord {
  std::map<std::uint64_t, OpenQuestion> questions;
  std::map<std::uint64_t, OpenLetter> letters;
};

// Everybody asks; only the fold (engine/state/people_fold.cc) changes.
class PeopleState {
 public:
  // Questions without an answer.
  [[nodiscard]] const std::map<std::uint64_t, OpenQuestion>& questions() const { return stored_.questions; }
  // Null: nobody asked it, or it is closed.
  [[nodiscard]] const OpenQuestion* FindQuestion(std::uint64_t number) const;
  [[nodiscard]] bool IsAsked() const { return !stored_.questions.empty(); }
  // Dead letters that nobody has dealt with.
  [[nodiscard]] const std::map<std::uint64_t, OpenLetter>& letters() const { return stored_.letters; }
  [[nodiscard]] const OpenLetter* FindLetter(std::uint64_t number) const;

  // Snapshots store both as they are.
  [[nodiscard]] const PeopleRecord& Stored() const { return stored_; }
  PeopleRecord& Stored() { return stored_; }

 private:
  PeopleRecord stored_;
};

}  // namespace agenttalk
