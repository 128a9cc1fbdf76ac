#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/utf8.h"
#include "prompts/composer.h"

namespace agenttalk {

bool IsPromptText(std::string_view bytes) {
  const auto disturbs = [](char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || byte == 0x7F;
  };
  return std::none_of(bytes.begin(), bytes.end(), disturbs) && IsUtf8(bytes);
}

}  // namespace agenttalk
