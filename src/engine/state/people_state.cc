#include "engine/state/people_state.h"

#include <cstdint>

namespace agenttalk {

const OpenQuestion* PeopleState::FindQuestion(std::uint64_t number) const {
  const auto found = stored_.questions.find(number);
  return found == stored_.questions.end() ? nullptr : &found->second;
}

const OpenLetter* PeopleState::FindLetter(std::uint64_t number) const {
  const auto found = stored_.letters.find(number);
  return found == stored_.letters.end() ? nullptr : &found->second;
}

}  // namespace agenttalk
