#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/hub_service.h"
#include "api/page/access.h"
#include "base/error.h"
#include "runtime/hub.h"

namespace agenttalk {

// What stands between the page's connections and the hub: who is let in, how many and how often, and what
// they may ask for. Sessions ask it about everything; when the server closes it answers no to all of it.
class PageGate {
 public:
  PageGate(Hub& hub, bool read_only);

  // Knows where the page is served from now on, and who had a session before.
  Result<void> Open(const Hub& hub, PageOrigin origin);
  void Close() { service_.reset(); }

  [[nodiscard]] const PageOrigin& origin() const { return *origin_; }
  Result<std::string> NewLink();
  // Exchanges a link's token for the value of a cookie; nothing: the link is not good.
  std::optional<std::string> Redeem(std::string_view token);
  [[nodiscard]] bool Admits(std::string_view cookies) const;
  [[nodiscard]] std::string CookieName() const;

  // A connection comes; false: there are too many.
  bool Enter();
  void Leave() { --connections_; }
  // A request comes; false: there were too many in the last moments.
  bool Spend();

  [[nodiscard]] std::uint64_t largest_body() const { return largest_body_; }
  // Whether the page may call the method at all.
  [[nodiscard]] bool Allows(std::string_view method) const;
  void Call(std::string_view method, const boost::json::object& parameters, HubService::Done done);

 private:
  const Hub& hub_;
  const PageRole role_;
  std::unique_ptr<HubService> service_;
  PageAccess access_;
  std::optional<PageOrigin> origin_;
  std::filesystem::path sessions_;
  std::uint16_t port_ = 0;
  std::size_t connections_ = 0;
  std::uint64_t largest_body_ = 0;
  double tokens_ = 0;
  std::chrono::steady_clock::time_point refilled_;
};

}  // namespace agenttalk
