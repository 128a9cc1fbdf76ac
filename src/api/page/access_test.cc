#include "api/page/access.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/digest.h"
#include "base/time.h"

namespace agenttalk {
namespace {

const Timestamp kNow = Timestamp(std::chrono::hours(1000));

TEST(PageAccess, ExchangesALinkOnce) {
  PageAccess access;
  access.AddLink("link", kNow);
  EXPECT_FALSE(access.Redeem("other", "session", kNow));
  EXPECT_TRUE(access.Redeem("link", "session", kNow));
  EXPECT_FALSE(access.Redeem("link", "another", kNow));
  EXPECT_TRUE(access.RoleOf("session", kNow).has_value());
  EXPECT_FALSE(access.RoleOf("another", kNow).has_value());
  EXPECT_FALSE(access.RoleOf("", kNow).has_value());
}

TEST(PageAccess, ForgetsLinksAndSessionsThatAreTooOld) {
  PageAccess access;
  access.AddLink("link", kNow);
  EXPECT_FALSE(access.Redeem("link", "session", kNow + PageAccess::kLinkLife));
  access.AddLink("link", kNow);
  EXPECT_TRUE(access.Redeem("link", "session", kNow));
  EXPECT_FALSE(access.RoleOf("session", kNow + PageAccess::kSessionLife).has_value());
}

TEST(PageAccess, KeepsSessionsOverARestartWithoutTheirSecrets) {
  PageAccess access;
  access.AddLink("link", kNow);
  access.Redeem("link", "secret-of-the-session", kNow);
  const std::string kept = access.Sessions();
  EXPECT_FALSE(kept.contains("secret"));
  PageAccess next;
  next.LoadSessions(kept + "damaged line\n", kNow);
  EXPECT_TRUE(next.RoleOf("secret-of-the-session", kNow).has_value());
  EXPECT_EQ(next.Sessions(), kept);
}

TEST(PageAccess, AllowsWhatIsListedAndNothingElse) {
  EXPECT_EQ(RoleFor("plans"), PageRole::kView);
  EXPECT_EQ(RoleFor("answer"), PageRole::kAnswer);
  EXPECT_EQ(RoleFor("cancel"), PageRole::kOperate);
  EXPECT_FALSE(RoleFor("repair").has_value());
  EXPECT_FALSE(RoleFor("page/link").has_value());
  EXPECT_FALSE(RoleFor("").has_value());
}

TEST(PageOrigin, KnowsItsOwnNamesAlone) {
  const PageOrigin origin(false, "127.0.0.1", 7717);
  EXPECT_EQ(origin.url(), "http://127.0.0.1:7717");
  for (const char* host : {"127.0.0.1:7717", "localhost:7717", "[::1]:7717"}) {
    EXPECT_TRUE(origin.KnowsHost(host)) << host;
    EXPECT_TRUE(origin.KnowsOrigin(std::string("http://") + host)) << host;
    EXPECT_FALSE(origin.KnowsOrigin(std::string("https://") + host)) << host;
  }
  for (const char* host :
       {"", "127.0.0.1", "127.0.0.1:7718", "evil.example:7717", "127.0.0.1:7717.evil.example"})
    EXPECT_FALSE(origin.KnowsHost(host)) << host;
  EXPECT_FALSE(origin.KnowsOrigin("null"));
  const PageOrigin other(true, "10.0.0.5", 443);
  EXPECT_TRUE(other.KnowsOrigin("https://10.0.0.5:443"));
  EXPECT_FALSE(other.KnowsHost("localhost:443"));
}

TEST(CookieValue, FindsACookieByItsWholeName) {
  EXPECT_EQ(CookieValue("a=1; session=xyz; b=2", "session"), "xyz");
  EXPECT_EQ(CookieValue("mysession=1", "session"), "");
  EXPECT_EQ(CookieValue("session", "session"), "");
  EXPECT_EQ(CookieValue("", "session"), "");
}

TEST(PageAccess, ATokenKeepsItsRoleOverARestart) {
  PageAccess access;
  access.AddSession("looks", PageRole::kView, kNow);
  access.AddSession("answers", PageRole::kAnswer, kNow);
  PageAccess next;
  next.LoadSessions(access.Sessions(), kNow);
  EXPECT_EQ(next.RoleOf("looks", kNow), PageRole::kView);
  EXPECT_EQ(next.RoleOf("answers", kNow), PageRole::kAnswer);
  EXPECT_EQ(next.RoleOf("nobody", kNow), std::nullopt);
  // As it was written before there were roles; and as a later version may write it.
  PageAccess old;
  const std::string end = std::to_string((kNow + PageAccess::kSessionLife).time_since_epoch().count());
  old.LoadSessions(Sha256("before").Hex() + " " + end + "\n" + Sha256("later").Hex() + " " + end + " rule\n",
                   kNow);
  EXPECT_EQ(old.RoleOf("before", kNow), PageRole::kOperate);
  EXPECT_EQ(old.RoleOf("later", kNow), PageRole::kView);
}

TEST(PageAccess, ReadsBearerTokens) {
  EXPECT_EQ(BearerToken("Bearer abc"), "abc");
  EXPECT_EQ(BearerToken("bearer  abc"), "abc");
  EXPECT_EQ(BearerToken("Bearer "), "");
  EXPECT_EQ(BearerToken("Basic abc"), "");
  EXPECT_EQ(BearerToken(""), "");
}

}  // namespace
}  // namespace agenttalk
