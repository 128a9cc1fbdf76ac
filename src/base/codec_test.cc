#include "base/codec.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/time.h"

namespace agenttalk {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen = 200 };

struct Inner {
  std::string name;
  std::int64_t number = 0;

  bool operator==(const Inner&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name);
    f("number", self.number);
  }
};

// Inner as a later version of the program knows it.
struct GrownInner {
  std::string name;
  std::int64_t number = 0;
  std::string added = "default";

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name);
    f("number", self.number);
    f("added", self.added);
  }
};

template <typename Element>
struct Outer {
  bool flag = false;
  Colour colour = Colour::kRed;
  std::uint8_t small = 0;
  std::int64_t number = 0;
  std::uint64_t large = 0;
  double real = 0;
  PlanId plan;
  Digest digest;
  Timestamp time;
  Duration duration{};
  std::optional<std::string> maybe;
  std::optional<Element> maybe_inner;
  std::vector<Element> list;
  std::map<std::string, Element> table;

  bool operator==(const Outer&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("flag", self.flag);
    f("colour", self.colour);
    f("small", self.small);
    f("number", self.number);
    f("large", self.large);
    f("real", self.real);
    f("plan", self.plan);
    f("digest", self.digest);
    f("time", self.time);
    f("duration", self.duration);
    f("maybe", self.maybe);
    f("maybe_inner", self.maybe_inner);
    f("list", self.list);
    f("table", self.table);
  }
};

Outer<Inner> Full() {
  return {.flag = true,
          .colour = Colour::kGreen,
          .small = 255,
          .number = std::numeric_limits<std::int64_t>::min(),
          .large = std::numeric_limits<std::uint64_t>::max(),
          .real = -0.1,
          .plan = PlanId("plan_1"),
          .digest = Sha256("x"),
          .time = Timestamp(Duration(-5)),
          .duration = Duration(7),
          .maybe = "",
          .maybe_inner = Inner{std::string(300, 'n'), -1},
          .list = {{"a", 1}, {"b", 2}},
          .table = {{"k", {"v", std::numeric_limits<std::int64_t>::max()}}, {"", {}}}};
}

template <typename T>
std::string Encode(const T& value) {
  ByteWriter writer;
  writer.Put(value);
  return writer.Take();
}

TEST(Codec, ReadsBackEveryKindOfField) {
  const std::string bytes = Encode(Full());
  ByteReader reader(bytes);
  Outer<Inner> copy;
  reader.Get(copy);
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.AtEnd());
  EXPECT_EQ(copy, Full());
}

TEST(Codec, ReadingReplacesWhatTheValueHeldBefore) {
  const std::string bytes = Encode(Outer<Inner>{});
  ByteReader reader(bytes);
  Outer<Inner> copy = Full();
  reader.Get(copy);
  EXPECT_EQ(copy, Outer<Inner>{});
}

TEST(Codec, OlderBytesLeaveAnAddedFieldAtItsDefault) {
  const std::string bytes = Encode(Full());
  ByteReader reader(bytes);
  Outer<GrownInner> copy;
  reader.Get(copy);
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.AtEnd());
  ASSERT_EQ(copy.list.size(), 2U);
  EXPECT_EQ(copy.list[1].name, "b");
  EXPECT_EQ(copy.list[1].added, "default");
}

TEST(Codec, OlderCodeSkipsAnAddedField) {
  Outer<GrownInner> grown;
  grown.list = {{"a", 1, "new"}, {"b", 2, std::string(500, 'x')}};
  const std::string bytes = Encode(grown);
  ByteReader reader(bytes);
  Outer<Inner> copy;
  reader.Get(copy);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(copy.list, (std::vector<Inner>{{"a", 1}, {"b", 2}}));
}

TEST(Codec, VarintsKeepTheirValueAtEverySize) {
  for (int shift = 0; shift < 64; ++shift) {
    for (const std::uint64_t value : {std::uint64_t{1} << shift, (std::uint64_t{1} << shift) - 1}) {
      ByteWriter writer;
      writer.Varint(value);
      ByteReader reader(writer.str());
      EXPECT_EQ(reader.Varint(), value);
      EXPECT_TRUE(reader.ok());
    }
  }
}

TEST(Codec, AVarintThatNeverEndsIsDamage) {
  const std::string bytes(11, '\xFF');
  ByteReader reader(bytes);
  EXPECT_EQ(reader.Varint(), 0U);
  EXPECT_FALSE(reader.ok());
}

// A cut between two fields of the outermost frame is caught by the frame's length.
TEST(Codec, EveryTruncationIsNoticed) {
  const std::string bytes = Encode(Full());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    Outer<Inner> copy;
    reader.Get(copy);
    EXPECT_FALSE(reader.ok()) << size;
  }
}

TEST(Codec, DamagedBytesNeverCrashNorTakeMuchMemory) {
  const std::string bytes = Encode(Full());
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same damage in every run
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    for (int changes = 0; changes < 3; ++changes)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    ByteReader reader(damaged);
    Outer<Inner> copy;
    reader.Get(copy);
    EXPECT_LE(copy.list.size(), damaged.size());
    EXPECT_LE(copy.table.size(), damaged.size());
  }
}

TEST(Codec, AHugeCountIsDamage) {
  ByteWriter writer;
  writer.Varint(std::uint64_t{1} << 60);
  ByteReader list_reader(writer.str());
  std::vector<std::string> list;
  list_reader.Get(list);
  EXPECT_FALSE(list_reader.ok());
  ByteReader table_reader(writer.str());
  std::map<std::string, std::string> table;
  table_reader.Get(table);
  EXPECT_FALSE(table_reader.ok());
}

}  // namespace
}  // namespace agenttalk
