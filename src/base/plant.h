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
void Witness(std::string_view deed);
#else
constexpr bool Planted(std::string_view) {
  return false;
}
constexpr void Witness(std::string_view) {}
#endif

// Is `fault` one of the comma-separated names in `list`?
bool PlantListNames(std::string_view list, std::string_view fault);

}  // namespace agenttalk
