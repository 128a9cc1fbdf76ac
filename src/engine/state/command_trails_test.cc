#include "engine/state/command_trails.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/codec.h"

namespace agenttalk {
namespace {

std::string TrailText(const CommandTrails& trails, std::uint32_t command) {
  std::string text;
  for (const EventSpan& span : trails.Of(command)) {
    text += std::to_string(span.first) + "-" + std::to_string(span.last()) + " ";
  }
  return text;
}

TEST(CommandTrails, JoinsEventsWithoutAGap) {
  CommandTrails trails;
  for (const std::uint64_t event : {3U, 4U, 5U, 9U, 20U, 21U}) trails.Add(0, event);
  EXPECT_EQ(TrailText(trails, 0), "3-5 9-9 20-21 ");
}

TEST(CommandTrails, KeepsCommandsApart) {
  CommandTrails trails;
  trails.Add(2, 3);
  trails.Add(0, 4);
  trails.Add(2, 4);
  trails.Add(2, 6);
  EXPECT_EQ(TrailText(trails, 0), "4-4 ");
  EXPECT_EQ(TrailText(trails, 1), "");
  EXPECT_EQ(TrailText(trails, 2), "3-4 6-6 ");
  EXPECT_EQ(TrailText(trails, 7), "");
}

TEST(CommandTrails, CountsAnEventOnce) {
  CommandTrails trails;
  trails.Add(0, 5);
  trails.Add(0, 5);
  trails.Add(0, 6);
  EXPECT_EQ(TrailText(trails, 0), "5-6 ");
}

TEST(CommandTrails, SurvivesASnapshot) {
  CommandTrails trails;
  trails.Add(1, 5);
  trails.Add(1, 7);
  ByteWriter out;
  out.Put(trails);
  CommandTrails read;
  ByteReader in(out.str());
  in.Get(read);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(TrailText(read, 1), TrailText(trails, 1));
}

}  // namespace
}  // namespace agenttalk
