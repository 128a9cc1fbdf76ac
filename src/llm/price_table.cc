#include "llm/price_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/embedded_file.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "base/issue.h"
#include "model/config/hub_config.h"
#include "model/reading/object_reader.h"
#include "model/reading/yaml_document.h"
#include "model/request/model_request.h"

namespace agenttalk {

// The files of data/; made by the build (model).
std::span<const EmbeddedFile> EmbeddedData();

namespace {

constexpr NumberRange kPrice{.min = 0, .max = 1e6};

void ReadPrices(ObjectReader& reader, TokenPrices& prices) {
  double price = 0;
  reader.Number(Field("input").Required(), kPrice, prices.input);
  reader.Number(Field("output").Required(), kPrice, prices.output);
  if (reader.Number("cache_read", kPrice, price)) prices.cache_read = price;
  if (reader.Number("cache_write", kPrice, price)) prices.cache_write = price;
}

}  // namespace

std::expected<PriceTable, Issues> PriceTable::Parse(std::string_view yaml) {
  Issues issues;
  auto document = ParseYaml(yaml);
  if (!document) {
    issues.errors.push_back(std::move(document).error());
    return std::unexpected(std::move(issues));
  }
  PriceTable table;
  ReadObject(document->root(), issues, [&](ObjectReader& reader) {
    std::int64_t version = 1;
    reader.Integer(Field("version").Invalid(ErrorCode::kSchemaVersionUnsupported), {.min = 1, .max = 1},
                   version);
    reader.Objects(Field("models").Required(), [&](ObjectReader& item) {
      Entry& entry = table.entries_.emplace_back();
      item.Text(Field("model").Required(), entry.model);
      ReadPrices(item, entry.prices);
    });
  });
  document->AddLines(issues);
  if (!issues.ok()) return std::unexpected(std::move(issues));
  return table;
}

PriceTable PriceTable::Embedded() {
  const auto files = EmbeddedData();
  const auto file = std::ranges::find(files, std::string_view("prices.yaml"), &EmbeddedFile::path);
  CHECK(file != files.end());
  auto table = Parse(file->content);
  CHECK(table.has_value());
  return std::move(*table);
}

void PriceTable::Prefer(PriceTable before) {
  std::ranges::move(entries_, std::back_inserter(before.entries_));
  entries_ = std::move(before.entries_);
}

const TokenPrices* PriceTable::Find(std::string_view model) const {
  const std::size_t slash = model.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? model : model.substr(slash + 1);
  for (const Entry& entry : entries_) {
    if (WildcardMatches(entry.model, model) || WildcardMatches(entry.model, name)) return &entry.prices;
  }
  return nullptr;
}

std::optional<TokenPrices> PriceTag::Of(std::string_view asked, std::string_view answered) const {
  if (fixed) return fixed;
  if (table == nullptr) return TokenPrices{};
  for (const std::string_view name : {asked.empty() ? std::string_view(model) : asked, answered}) {
    const TokenPrices* found = name.empty() ? nullptr : table->Find(name);
    if (found != nullptr) return *found;
  }
  return std::nullopt;
}

std::optional<Error> PriceTag::Refuse(std::string_view asked) const {
  if (may_be_unknown || Of(asked)) return std::nullopt;
  const std::string_view name = asked.empty() ? std::string_view(model) : asked;
  return Error{
      ErrorCode::kProviderMissing,
      fmt::format("the price of {} is unknown, so the budget in USD cannot be kept",
                  name.empty() ? "the provider's model" : fmt::format("the model {}", name)),
      "add it to prices.yaml in the hub, set prices: {input: …, output: …} of its provider (0 for one "
      "that costs nothing), or allow it with limits: {allow_unpriced: true}"};
}

std::uint64_t MicroUsd(const Usage& usage, const TokenPrices& prices) {
  const std::uint64_t cached = usage.cache_read_tokens + usage.cache_write_tokens;
  const std::uint64_t plain = usage.input_tokens - std::min(usage.input_tokens, cached);
  // A dollar for a million tokens is a millionth of a dollar for one.
  const double micro_usd =
      static_cast<double>(plain) * prices.input +
      static_cast<double>(usage.cache_read_tokens) * prices.cache_read.value_or(prices.input) +
      static_cast<double>(usage.cache_write_tokens) * prices.cache_write.value_or(prices.input) +
      static_cast<double>(usage.output_tokens) * prices.output;
  return static_cast<std::uint64_t>(std::llround(micro_usd));
}

}  // namespace agenttalk
