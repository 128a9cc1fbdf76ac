#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/issue.h"
#include "model/config/hub_config.h"
#include "model/request/model_request.h"

// What tokens cost (docs/formats/prices.md).
namespace agenttalk {

class PriceTable {
 public:
  // Reports everything that is wrong at once, with lines.
  static std::expected<PriceTable, Issues> Parse(std::string_view yaml);
  // The table that the program brings.
  static PriceTable Embedded();

  // `before` is looked at first.
  void Prefer(PriceTable before);
  // Null when nobody knows. A vendor's name before the model's ("anthropic/…") does not matter.
  [[nodiscard]] const TokenPrices* Find(std::string_view model) const;

 private:
  struct Entry {
    std::string model;  // a glob
    TokenPrices prices;
  };
  std::vector<Entry> entries_;
};

// What a provider's calls cost.
struct PriceTag {
  std::optional<TokenPrices> fixed;         // set for this provider
  std::shared_ptr<const PriceTable> table;  // else by model; may be null
  std::string model;                        // where a request names none
  std::uint64_t answer_tokens = 0;          // what is reserved for an answer that has not come yet

  bool may_be_unknown = true;  // else a model without a price is not asked at all

  // By the model that was asked for, or where a request named none, the provider's; else by what the answer
  // says it is. Nothing where nobody knows; what costs nothing (a script) is known.
  [[nodiscard]] std::optional<TokenPrices> Of(std::string_view asked, std::string_view answered = {}) const;
  // Why a model must not be asked: its price is unknown, and a budget in USD could not be kept.
  [[nodiscard]] std::optional<Error> Refuse(std::string_view asked) const;
};

// Millionths of a dollar. What was read from a cache or written to one is part of the input and has its own
// price where that is known.
std::uint64_t MicroUsd(const Usage& usage, const TokenPrices& prices);

}  // namespace agenttalk
