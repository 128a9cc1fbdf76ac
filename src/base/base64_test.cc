#include "base/base64.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace agenttalk {
namespace {

TEST(Base64, EncodesTheExamplesOfTheStandard) {
  EXPECT_EQ(EncodeBase64(""), "");
  EXPECT_EQ(EncodeBase64("f"), "Zg==");
  EXPECT_EQ(EncodeBase64("fo"), "Zm8=");
  EXPECT_EQ(EncodeBase64("foo"), "Zm9v");
  EXPECT_EQ(EncodeBase64("foobar"), "Zm9vYmFy");
}

TEST(Base64, GivesEveryByteBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    const std::string part = bytes.substr(0, length);
    EXPECT_EQ(DecodeBase64(EncodeBase64(part)), part);
  }
}

TEST(Base64, RefusesWhatIsNoBase64) {
  EXPECT_FALSE(DecodeBase64("Zg="));
  EXPECT_FALSE(DecodeBase64("Z!=="));
  EXPECT_FALSE(DecodeBase64("=Zg="));
}

}  // namespace
}  // namespace agenttalk
