#include "base/plant.h"

#include <cstddef>
#include <string_view>
#ifdef AGENTTALK_FAULT_SWITCHES
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/check.h"
#endif

namespace agenttalk {

bool PlantListNames(std::string_view list, std::string_view fault) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == fault) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

#ifdef AGENTTALK_FAULT_SWITCHES
bool Planted(std::string_view fault) {
  static const std::string list = [] {
    const char* value = std::getenv("AGENTTALK_PLANT");
    return std::string(value == nullptr ? "" : value);
  }();
  return PlantListNames(list, fault);
}

void WitnessDeed(std::string_view deed) {
  static const char* const path = std::getenv("AGENTTALK_WITNESS");
  if (path == nullptr) return;
  static const int file = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const std::string line = std::string(deed) + "\n";
  CHECK(::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
}
#endif

}  // namespace agenttalk
