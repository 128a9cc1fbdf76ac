#include "api/page/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/hub_service.h"
#include "api/page/access.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "journal/durable_file.h"
#include "model/config/hub_config.h"
#include "runtime/hub.h"
#include "runtime/hub_home.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostConnections = 64;
constexpr double kRequestsPerSecond = 200;
constexpr double kBurst = 400;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kMostSessionBytes = 64 * 1024;

// Letters and digits only: it becomes part of an address and of a cookie.
Result<std::string> NewSecret() {
  return Sha256(TRY(RandomBytes(kSecretBytes))).Hex();
}

// Says to the page what it may do, so that it offers nothing else.
HubService::Done WithRole(PageRole role, HubService::Done done) {
  return [role, done = std::move(done)](Result<boost::json::value> hub) {
    if (hub && hub->is_object()) hub->as_object()["role"] = role == PageRole::kView ? "view" : "operate";
    done(std::move(hub));
  };
}

}  // namespace

PageGate::PageGate(Hub& hub, bool read_only)
    : hub_(hub),
      role_(read_only ? PageRole::kView : PageRole::kOperate),
      executor_(hub.loop().get_executor()),
      service_(std::make_unique<HubService>(hub)),
      sessions_(HomeOf(hub.directory()) / "page_sessions"),
      largest_body_((hub.team().config.limits.max_input_bytes / 3 * 4) + kMebibyte),
      tokens_(kBurst),
      refilled_(std::chrono::steady_clock::now()) {}

Result<void> PageGate::Open(const Hub& hub, PageOrigin origin) {
  origin_ = std::move(origin);
  auto kept = ReadFileUpTo(sessions_, kMostSessionBytes);
  if (kept) access_.LoadSessions(*kept, hub.now());
  if (!kept && kept.error().code != ErrorCode::kNotFound) return std::unexpected(kept.error());
  return {};
}

Result<std::string> PageGate::NewLink() {
  const std::string token = TRY(NewSecret());
  access_.AddLink(token, hub_.now());
  return fmt::format("{}/login?token={}", origin_->url(), token);
}

std::optional<std::string> PageGate::Redeem(std::string_view token) {
  auto session = NewSecret();
  if (!session || !access_.Redeem(token, *session, hub_.now())) return std::nullopt;
  KeepSessions();
  return *session;
}

Result<std::string> PageGate::NewToken(PageRole role) {
  std::string token = TRY(NewSecret());
  access_.AddSession(token, role, hub_.now());
  KeepSessions();
  return token;
}

// Only hashes are kept. If they cannot be kept, sessions end with the process, nothing worse.
void PageGate::KeepSessions() {
  const auto temporary = std::filesystem::path(sessions_.string() + ".tmp");
  static_cast<void>(WriteFileDurably(temporary, sessions_, access_.Sessions()));
}

std::string PageGate::CookieName() const {
  // Browsers do not tell ports apart, so that two hubs on one host would take each other's cookie.
  return "agenttalk_" + Sha256(origin_->url()).Hex().substr(0, 8);
}

std::optional<PageRole> PageGate::RoleOf(std::string_view cookies) const {
  return RoleOfToken(CookieValue(cookies, CookieName()));
}

std::optional<PageRole> PageGate::RoleOfToken(std::string_view token) const {
  return access_.RoleOf(token, hub_.now());
}

bool PageGate::Enter() {
  if (service_ == nullptr || connections_ >= kMostConnections) return false;
  ++connections_;
  return true;
}

bool PageGate::Spend() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> passed = now - refilled_;
  refilled_ = now;
  tokens_ = std::min(kBurst, tokens_ + (passed.count() * kRequestsPerSecond));
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

bool PageGate::Allows(std::string_view method, PageRole role) const {
  const auto needed = RoleFor(method);
  return needed.has_value() && *needed <= Limit(role);
}

void PageGate::Call(std::string_view method, const boost::json::object& parameters, HubService::Done done) {
  if (service_ == nullptr) {
    done(Fail(ErrorCode::kStateConflict, "the hub is stopping"));
    return;
  }
  if (method == "hub") done = WithRole(role_, std::move(done));
  service_->Call(method, parameters, std::move(done));
}

}  // namespace agenttalk
