#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/hub_service.h"
#include "api/page/access.h"
#include "api/page/answer_shelf.h"
#include "base/error.h"
#include "mcp/server/exchange.h"
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
  // A secret that a program shows instead of a cookie.
  Result<std::string> NewToken(PageRole role);
  // What whoever sends these cookies may do; nothing: they have no session.
  [[nodiscard]] std::optional<PageRole> RoleOf(std::string_view cookies) const;
  // The same for a program that shows its token.
  [[nodiscard]] std::optional<PageRole> RoleOfToken(std::string_view token) const;
  [[nodiscard]] std::string CookieName() const;

  // A connection comes; false: there are too many.
  bool Enter();
  void Leave() { --connections_; }
  // A request comes; false: there were too many in the last moments.
  bool Spend();

  [[nodiscard]] std::uint64_t largest_body() const { return largest_body_; }
  // Whether somebody in this role may call the method of the page.
  [[nodiscard]] bool Allows(std::string_view method, PageRole role) const;
  // The role that is left of this one here: a page for viewers has nothing but viewers.
  [[nodiscard]] PageRole Limit(PageRole role) const { return std::min(role, role_); }
  [[nodiscard]] const boost::asio::any_io_executor& executor() const { return executor_; }
  // Requests of MCP clients that may still be cancelled, by session and id.
  std::map<std::string, std::weak_ptr<mcp::Exchange>>& mcp_requests() { return mcp_requests_; }
  void Call(std::string_view method, const boost::json::object& parameters, HubService::Done done);
  AnswerShelf& answers() { return answers_; }
  // The last durable event.
  [[nodiscard]] std::uint64_t committed() const { return hub_.core().committed(); }

 private:
  void KeepSessions();

  Hub& hub_;
  const PageRole role_;
  boost::asio::any_io_executor executor_;
  std::map<std::string, std::weak_ptr<mcp::Exchange>> mcp_requests_;
  std::unique_ptr<HubService> service_;
  PageAccess access_;
  AnswerShelf answers_;
  std::optional<PageOrigin> origin_;
  std::filesystem::path sessions_;
  std::size_t connections_ = 0;
  std::uint64_t largest_body_ = 0;
  double tokens_ = 0;
  std::chrono::steady_clock::time_point refilled_;
};

}  // namespace agenttalk
