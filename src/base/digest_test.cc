#include "base/digest.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

namespace agenttalk {
namespace {

// A second, obvious implementation: one bit at a time.
std::uint32_t SlowCrc32c(std::string_view data) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : data) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82F63B78U : crc >> 1;
  }
  return ~crc;
}

TEST(Digest, MatchesThePublishedSha256Examples) {
  EXPECT_EQ(Sha256("").Hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc").Hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256(std::string(1000000, 'a')).Hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, OfAStreamIsTheDigestOfItsPiecesTogether) {
  Sha256Stream stream;
  for (int round = 0; round < 2; ++round) {
    stream.Update("a");
    stream.Update("");
    stream.Update("bc");
    EXPECT_EQ(stream.Finish(), Sha256("abc"));
  }
}

TEST(Digest, StreamsAndWholeHashesDoNotDisturbEachOther) {
  Sha256Stream stream;
  stream.Update("ab");
  EXPECT_EQ(Sha256("x"), Sha256("x"));
  stream.Update("c");
  EXPECT_EQ(stream.Finish(), Sha256("abc"));
}

TEST(Digest, EveryThreadHashesTheSame) {
  const Digest expected = Sha256("abc");
  Digest other;
  std::thread thread([&other] { other = Sha256("abc"); });
  thread.join();
  EXPECT_EQ(other, expected);
}

TEST(Digest, ReadsHexOfEitherCaseAndNothingElse) {
  const Digest digest = Sha256("abc");
  EXPECT_EQ(Digest::FromHex(digest.Hex()), digest);
  EXPECT_EQ(Digest::FromHex("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"), digest);
  EXPECT_FALSE(Digest::FromHex(""));
  EXPECT_FALSE(Digest::FromHex(digest.Hex() + "00"));
  EXPECT_FALSE(Digest::FromHex(std::string(64, 'g')));
}

TEST(Digest, ZeroIsTheDigestOfNothingYet) {
  EXPECT_TRUE(Digest{}.IsZero());
  EXPECT_FALSE(Sha256("").IsZero());
}

// RFC 4231, cases 1, 2 and 6 (a key longer than a block).
TEST(Hmac, MatchesTheRfcExamples) {
  EXPECT_EQ(HmacKey(std::string(20, '\x0b')).CodeOf("Hi There").Hex(),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(HmacKey("Jefe").CodeOf("what do ya want for nothing?").Hex(),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HmacKey(std::string(131, '\xaa'))
                .CodeOf("Test Using Larger Than Block-Size Key - Hash Key First")
                .Hex(),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Crc32c, MatchesThePublishedExamples) {
  EXPECT_EQ(Crc32c(""), 0U);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62A8AB43U);
}

TEST(Crc32c, AgreesWithTheSlowOneForEveryShortLength) {
  std::string data;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(Crc32c(data), SlowCrc32c(data));
    data.push_back(static_cast<char>(i * 37));
  }
}

TEST(Crc32c, OfAWholeContinuesFromItsFirstPart) {
  EXPECT_EQ(Crc32c("56789", Crc32c("1234")), Crc32c("123456789"));
}

}  // namespace
}  // namespace agenttalk
