#include "llm/price_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "base/error_code.h"
#include "model/config/hub_config.h"

namespace agenttalk {
namespace {

TEST(PriceTable, KnowsTheUsualModels) {
  const PriceTable table = PriceTable::Embedded();
  for (const char* model :
       {"claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5", "gpt-5-mini", "gpt-5"}) {
    EXPECT_NE(table.Find(model), nullptr) << model;
  }
  EXPECT_LT(table.Find("gpt-5-mini")->input, table.Find("gpt-5")->input);
  EXPECT_EQ(table.Find("qwen3"), nullptr);
}

TEST(PriceTable, AHubsOwnPricesComeFirst) {
  PriceTable table = PriceTable::Embedded();
  auto own = PriceTable::Parse(
      "models:\n- {model: gpt-5, input: 7, output: 8}\n- {model: qwen*, input: 0, output: 1}\n");
  ASSERT_TRUE(own);
  table.Prefer(std::move(*own));
  EXPECT_EQ(table.Find("gpt-5")->input, 7);
  EXPECT_EQ(table.Find("qwen3")->output, 1);
  EXPECT_NE(table.Find("gpt-5-mini"), nullptr);
}

TEST(PriceTable, SaysWhatIsWrongAndWhere) {
  const auto table = PriceTable::Parse("models:\n- {model: x, input: -1}\n");
  ASSERT_FALSE(table);
  ASSERT_EQ(table.error().errors.size(), 2U);
  EXPECT_EQ(table.error().errors[0].path, "/models/0/input");
  EXPECT_EQ(table.error().errors[0].line, 2);
  EXPECT_EQ(table.error().errors[1].code, ErrorCode::kFieldMissing);
}

TEST(PriceTag, PrefersWhatIsSetForTheProvider) {
  PriceTag tag;
  EXPECT_EQ(tag.Of("gpt-5"), TokenPrices{});
  tag.table = std::make_shared<const PriceTable>(PriceTable::Embedded());
  tag.model = "gpt-5";
  EXPECT_EQ(tag.Of("")->input, 1.25);
  EXPECT_EQ(tag.Of("claude-sonnet-4-5")->input, 3);
  EXPECT_EQ(tag.Of("gpt-5-unheard-of")->input, 1.25);
  tag.fixed = TokenPrices{1, 2, {}, {}};
  EXPECT_EQ(tag.Of("gpt-5")->output, 2);
}

TEST(PriceTag, PricesTheModelThatWasAskedAndNoOther) {
  PriceTag tag;
  tag.table = std::make_shared<const PriceTable>(PriceTable::Embedded());
  tag.model = "gpt-4o";
  EXPECT_FALSE(tag.Of("other-model"));
  EXPECT_FALSE(tag.Of("other-model", "another-name"));
  EXPECT_EQ(tag.Of("my-deployment", "gpt-5-2025-08-07")->input, 1.25)
      << "a gateway's name, and what it stands for";
}

TEST(PriceTag, AModelWithoutAPriceIsRefusedWhereABudgetNeedsOne) {
  PriceTag tag;
  tag.table = std::make_shared<const PriceTable>(PriceTable::Embedded());
  EXPECT_FALSE(tag.Refuse("qwen3"));
  tag.may_be_unknown = false;
  EXPECT_FALSE(tag.Refuse("gpt-5"));
  const auto refused = tag.Refuse("qwen3");
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->message.find("qwen3"), std::string::npos);
  for (const char* way : {"prices.yaml", "prices:", "allow_unpriced"}) {
    EXPECT_NE(refused->hint.find(way), std::string::npos) << refused->hint;
  }
}

TEST(MicroUsd, CountsCachedInputAtItsOwnPrice) {
  const TokenPrices prices{3, 15, 0.3, 3.75};
  EXPECT_EQ(MicroUsd({1000, 100, 0, 0}, prices), 4500U);
  EXPECT_EQ(MicroUsd({1000, 0, 600, 200}, prices), 200U * 3 + 180 + 750);
  EXPECT_EQ(MicroUsd({1000, 0, 600, 0}, {3, 15, {}, {}}), 3000U);
  EXPECT_EQ(MicroUsd({10, 0, 600, 0}, {3, 15, {}, {}}), 1800U);
}

}  // namespace
}  // namespace agenttalk
