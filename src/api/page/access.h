#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/time.h"

// Who may look at the page and what they may ask for. Pure: secrets and the time come in.
//
// A link holds a token that works once and for ten minutes. It is exchanged for a session, whose secret is a
// cookie that scripts cannot read and other sites cannot send (HttpOnly, SameSite=Strict). Of both only the
// SHA-256 is kept, so that nothing on disk opens the page.
namespace agenttalk {

// What a session may do. Each includes the ones before it.
enum class PageRole : std::uint8_t { kView, kAnswer, kOperate };

std::string_view RoleName(PageRole role);
// Nothing: there is no role of that name.
std::optional<PageRole> RoleNamed(std::string_view name);

// The role that a method of the hub needs; nothing: the page may not call it at all.
std::optional<PageRole> RoleFor(std::string_view method);

// Where the page is served. A request for any other host or from any other origin is refused, which is what
// keeps other sites, and names that were made to point here, out.
class PageOrigin {
 public:
  PageOrigin(bool tls, const std::string& address, std::uint16_t port);

  [[nodiscard]] bool KnowsHost(std::string_view host) const;
  [[nodiscard]] bool KnowsOrigin(std::string_view origin) const;
  // Where a person finds the page.
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  std::vector<std::string> hosts_;
  std::string scheme_;
  std::string url_;
};

class PageAccess {
 public:
  static constexpr Duration kLinkLife = std::chrono::minutes(10);
  static constexpr Duration kSessionLife = std::chrono::hours(24 * 30);

  // A link's token; it may be exchanged once.
  void AddLink(std::string_view token, Timestamp now);
  // Exchanges a link for a session with this secret; false: the token is unknown, used or too old.
  bool Redeem(std::string_view token, std::string_view session, Timestamp now);
  // A session without a link: for programs, which cannot follow one.
  void AddSession(std::string_view session, PageRole role, Timestamp now);
  // What whoever knows the secret may do; nothing: there is no such session.
  [[nodiscard]] std::optional<PageRole> RoleOf(std::string_view session, Timestamp now) const;

  // Sessions survive a restart: one line each, the hash of the secret, when it ends, and its role.
  [[nodiscard]] std::string Sessions() const;
  void LoadSessions(std::string_view text, Timestamp now);

 private:
  struct Session {
    Timestamp end;
    PageRole role = PageRole::kOperate;
  };
  void Forget(Timestamp now);

  std::map<Digest, Timestamp> links_;  // and until when they may be used
  std::map<Digest, Session> sessions_;
};

// The token of an Authorization header `Bearer …`; empty: it has none.
std::string_view BearerToken(std::string_view header);

// The value of a cookie in a Cookie header; empty: it is not there.
std::string_view CookieValue(std::string_view header, std::string_view name);

}  // namespace agenttalk
