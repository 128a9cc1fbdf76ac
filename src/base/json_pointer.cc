#include "base/json_pointer.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace agenttalk {

void AppendPointer(std::string& pointer, std::string_view token) {
  pointer.push_back('/');
  for (const char c : token) {
    if (c == '~') {
      pointer.append("~0");
    } else if (c == '/') {
      pointer.append("~1");
    } else {
      pointer.push_back(c);
    }
  }
}

void AppendPointer(std::string& pointer, std::size_t index) {
  pointer.push_back('/');
  pointer.append(fmt::format_int(index).c_str());
}

}  // namespace agenttalk
