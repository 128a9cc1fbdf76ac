#include "model/words/catalogue.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <regex>
#include <set>
#include <string>

#include "base/language.h"

namespace agenttalk {
namespace {

std::set<std::string> ArgumentsOf(std::string_view wording) {
  const std::string text(wording);
  const std::regex argument("\\{([0-9])[^}]*\\}");
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), argument), end; at != end; ++at) {
    found.insert((*at)[1].str());
  }
  return found;
}

TEST(Catalogue, EveryPhraseIsThereInBothLanguagesWithTheSameArguments) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Phrase::kCount); ++i) {
    const auto phrase = static_cast<Phrase>(i);
    const std::string_view english = Wording(phrase, Language::kEnglish);
    const std::string_view chinese = Wording(phrase, Language::kChinese);
    EXPECT_FALSE(english.empty()) << i;
    EXPECT_FALSE(chinese.empty()) << english;
    EXPECT_EQ(ArgumentsOf(english), ArgumentsOf(chinese)) << english;
  }
}

TEST(Catalogue, EntriesAreInTheOrderOfTheirNames) {
  EXPECT_EQ(Wording(Phrase::kGate, Language::kEnglish).substr(0, 27), "Does the result of task {0}");
  EXPECT_EQ(Wording(Phrase::kCouldNotAnswer, Language::kEnglish), "{0} could not answer: {1}.");
  EXPECT_EQ(Wording(Phrase::kPlanAt, Language::kEnglish), "The plan is at revision {0}:");
  EXPECT_EQ(Wording(Phrase::kScoreCriteria, Language::kChinese), "结果满足提示要求的程度，0-100");
}

TEST(Catalogue, ArgumentsStandWhereTheLanguageWantsThem) {
  EXPECT_EQ(Say(Language::kEnglish, Phrase::kCommandEnded, "cmd_1", "ann", "late", "X"),
            "cmd_1 of ann ended: late (X)");
  EXPECT_EQ(Say(Language::kChinese, Phrase::kCommandEnded, "cmd_1", "ann", "late", "X"),
            "ann 的 cmd_1 结束：late（X）");
}

}  // namespace
}  // namespace agenttalk
