#include "llm/sse_parser.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agenttalk {
namespace {

std::vector<SseEvent> Events(const std::vector<std::string_view>& pieces, std::size_t largest = 1000) {
  SseParser parser(largest);
  std::vector<SseEvent> events;
  for (const std::string_view piece : pieces) {
    if (!parser.Feed(piece, [&](SseEvent event) { events.push_back(std::move(event)); })) break;
  }
  return events;
}

TEST(SseParser, ReadsNamesDataAndComments) {
  EXPECT_EQ(Events({": hello\nevent: ping\ndata: {}\n\ndata:a\ndata:  b\nid: 7\nretry: 5\n\n"}),
            (std::vector<SseEvent>{{"ping", "{}"}, {"message", "a\n b"}}));
}

TEST(SseParser, GivesNothingForAnEventWithoutDataOrWithoutAnEnd) {
  EXPECT_EQ(Events({"event: nothing\n\ndata: cut"}), std::vector<SseEvent>{});
  EXPECT_EQ(Events({"data\n\n"}), (std::vector<SseEvent>{{"message", ""}}));
}

TEST(SseParser, ForgetsTheNameAfterEachEvent) {
  EXPECT_EQ(Events({"event: a\ndata: 1\n\ndata: 2\n\n"}),
            (std::vector<SseEvent>{{"a", "1"}, {"message", "2"}}));
}

TEST(SseParser, SkipsAByteOrderMark) {
  EXPECT_EQ(Events({"\xEF\xBB\xBF"
                    "data: x\n\n"}),
            (std::vector<SseEvent>{{"message", "x"}}));
}

TEST(SseParser, GivesTheSameWhereverTheStreamIsCut) {
  for (const std::string_view end : {"\n", "\r\n", "\r"}) {
    std::string text;
    for (const std::string_view line :
         {"\xEF\xBB\xBF: start", "event: a", "data: \xE4\xB8\xAD\xE6\x96\x87", "", "data: one", "data: two",
          ":", "", "event: b", "data: [DONE]", ""}) {
      text.append(line).append(end);
    }
    const std::vector<SseEvent> whole = Events({text});
    ASSERT_EQ(whole.size(), 3U);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      const std::string_view view = text;
      EXPECT_EQ(Events({view.substr(0, cut), view.substr(cut)}), whole) << cut;
    }
    std::vector<std::string_view> bytes;
    for (const char& byte : text) bytes.emplace_back(&byte, 1);
    EXPECT_EQ(Events(bytes), whole);
  }
}

TEST(SseParser, StopsAtAnEventThatIsTooLarge) {
  SseParser parser(10);
  const auto ignore = [](const SseEvent&) {};
  EXPECT_TRUE(parser.Feed("data:12345\n", ignore));
  EXPECT_FALSE(parser.Feed("data:12345\n", ignore));
  EXPECT_FALSE(parser.Feed("\n", ignore));
}

}  // namespace
}  // namespace agenttalk
