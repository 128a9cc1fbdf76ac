#include "engine/state/miscount.h"

#include <algorithm>
#include <cstdint>

#include "model/content/cost.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kNoMore = 1000;
// A server that reports nonsense must not make every later sum overflow.
constexpr std::uint64_t kMost = 1000 * kNoMore;

std::uint64_t RatioOf(std::uint64_t reserved, std::uint64_t used) {
  if (reserved == 0 || used <= reserved) return kNoMore;
  return std::min(kMost, (std::min(used, UINT64_MAX / 2 / kNoMore) * kNoMore + reserved - 1) / reserved);
}

std::uint64_t Times(std::uint64_t amount, std::uint64_t ratio) {
  return (std::min(amount, UINT64_MAX / 2 / kMost) * ratio + kNoMore - 1) / kNoMore;
}

}  // namespace

void Miscount::Learn(const Cost& reserved, const Cost& used) {
  input = std::max(input, RatioOf(reserved.input_tokens, used.input_tokens));
  output = std::max(output, RatioOf(reserved.output_tokens, used.output_tokens));
}

Cost Miscount::Scaled(const Cost& estimate) const {
  Cost scaled = estimate;
  scaled.input_tokens = Times(estimate.input_tokens, input);
  scaled.output_tokens = Times(estimate.output_tokens, output);
  // The sum of money does not tell its parts. Where only prompts are counted higher it grows as the tokens
  // do, which is too much rather than too little, for answers cost more than prompts; otherwise the larger
  // ratio is on the safe side.
  const std::uint64_t together =
      RatioOf(estimate.input_tokens + estimate.output_tokens, scaled.input_tokens + scaled.output_tokens);
  scaled.micro_usd = Times(estimate.micro_usd, output > kNoMore ? std::max(input, output) : together);
  return scaled;
}

}  // namespace agenttalk
