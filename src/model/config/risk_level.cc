#include "model/config/risk_level.h"

#include <string_view>

#include "model/reading/spelling.h"

namespace agenttalk {

std::string_view ToString(RiskLevel level) {
  return SpellingOf(kRiskLevels, level);
}

}  // namespace agenttalk
