#include "model/words/reasons.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <regex>
#include <set>
#include <string>
#include <string_view>

#include "base/language.h"

namespace agenttalk {
namespace {

std::set<std::string> PlacesIn(std::string_view wording) {
  const std::string text(wording);
  const std::regex place("\\{([0-9])[^}]*\\}");
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), place), end; at != end; ++at) {
    found.insert((*at)[1].str());
  }
  return found;
}

TEST(Reasons, EveryReasonIsThereInBothLanguagesWithTheSameArguments) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Reason::kCount); ++i) {
    const auto reason = static_cast<Reason>(i);
    const std::string_view english = Wording(reason, Language::kEnglish);
    const std::string_view chinese = Wording(reason, Language::kChinese);
    EXPECT_FALSE(english.empty()) << i;
    EXPECT_FALSE(chinese.empty()) << english;
    EXPECT_NE(english, chinese);
    EXPECT_EQ(PlacesIn(english), PlacesIn(chinese)) << english;
  }
}

TEST(Reasons, EntriesAreInTheOrderOfTheirNames) {
  EXPECT_EQ(Wording(Reason::kDeadLetterClosed, Language::kEnglish), "the dead letter is closed");
  EXPECT_EQ(Wording(Reason::kWaitsForReview, Language::kEnglish), "waits for its review");
  EXPECT_EQ(Wording(Reason::kLeadsTo, Language::kEnglish), "{0} leads to {1}");
  EXPECT_EQ(Wording(Reason::kRemarkCame, Language::kEnglish), "a remark came");
  EXPECT_EQ(Wording(Reason::kShortTask, Language::kChinese), "简短的任务，只有一个结果");
}

}  // namespace
}  // namespace agenttalk
