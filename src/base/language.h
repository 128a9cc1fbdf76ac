#pragma once

#include <cstdint>

namespace agenttalk {

// What the hub speaks with models and people in. Stored in events: append only.
enum class Language : std::uint8_t { kEnglish, kChinese };

}  // namespace agenttalk
