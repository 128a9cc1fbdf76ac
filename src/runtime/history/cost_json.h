#pragma once

#include <boost/json/value.hpp>

#include "model/content/cost.h"

namespace agenttalk {

// What was spent in USD; null when nobody knows, because a model without a price was asked.
inline boost::json::value CostUsd(const Cost& cost) {
  if (cost.unpriced > 0) return nullptr;
  return static_cast<double>(cost.micro_usd) / 1e6;
}

}  // namespace agenttalk
