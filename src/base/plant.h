#pragma once

#include <string_view>

// Seeded bugs, for proving that the fault tests can see them. Only a build with -DAGENTTALK_FAULT_SWITCHES
// has them: there the environment variable AGENTTALK_PLANT names the ones to switch on, separated by commas.
namespace agenttalk {

#ifdef AGENTTALK_FAULT_SWITCHES
// Read once per process, at the first call.
bool Planted(std::string_view fault);
// Tells somebody outside of the hub what is done to the world: one line in the file named by the environment
// variable AGENTTALK_WITNESS.
void WitnessDeed(std::string_view deed);
template <typename Describe>
void Witness(const Describe& describe) {
  WitnessDeed(describe());
}
#else
constexpr bool Planted(std::string_view) {
  return false;
}
template <typename Describe>
constexpr void Witness(const Describe& /*describe*/) {}
#endif

// Is `fault` one of the comma-separated names in `list`?
bool PlantListNames(std::string_view list, std::string_view fault);

}  // namespace agenttalk
