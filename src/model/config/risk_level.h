#pragma once

#include <cstdint>
#include <string_view>

#include "model/reading/spelling.h"

namespace agenttalk {

// Of what an agent wants to do, and of a tool. What is of high risk waits for a person.
enum class RiskLevel : std::uint8_t { kLow, kMedium, kHigh };

inline constexpr Spellings<RiskLevel, 3> kRiskLevels{
    {{"low", RiskLevel::kLow}, {"medium", RiskLevel::kMedium}, {"high", RiskLevel::kHigh}}};

std::string_view ToString(RiskLevel level);

}  // namespace agenttalk
