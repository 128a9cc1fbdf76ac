#include "api/page/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/time.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostSessions = 100;

struct MethodRole {
  std::string_view method;
  PageRole role;
};

constexpr std::array kMethods = {
    MethodRole{"agents", PageRole::kView},        MethodRole{"answer", PageRole::kAnswer},
    MethodRole{"cancel", PageRole::kOperate},     MethodRole{"dead/drop", PageRole::kOperate},
    MethodRole{"dead/list", PageRole::kView},     MethodRole{"dead/retry", PageRole::kOperate},
    MethodRole{"dead/show", PageRole::kView},     MethodRole{"diff", PageRole::kView},
    MethodRole{"fork", PageRole::kOperate},       MethodRole{"goal", PageRole::kOperate},
    MethodRole{"graph", PageRole::kView},         MethodRole{"summary", PageRole::kView},
    MethodRole{"tasks", PageRole::kView},         MethodRole{"hub", PageRole::kView},
    MethodRole{"log", PageRole::kView},           MethodRole{"pause", PageRole::kOperate},
    MethodRole{"plan/apply", PageRole::kOperate}, MethodRole{"plan/run", PageRole::kOperate},
    MethodRole{"plan/show", PageRole::kView},     MethodRole{"plan/check", PageRole::kView},
    MethodRole{"plans", PageRole::kView},         MethodRole{"questions", PageRole::kView},
    MethodRole{"replay", PageRole::kView},        MethodRole{"resume", PageRole::kOperate},
    MethodRole{"say", PageRole::kOperate},        MethodRole{"show", PageRole::kView},
    MethodRole{"file", PageRole::kView},          MethodRole{"spending", PageRole::kView},
    MethodRole{"status", PageRole::kView},        MethodRole{"trace", PageRole::kView},
};

bool IsLoopback(std::string_view address) {
  return address == "127.0.0.1" || address == "::1" || address == "localhost";
}

std::string Bracketed(std::string_view address) {
  return address.contains(':') ? fmt::format("[{}]", address) : std::string(address);
}

void ForgetEnded(std::map<Digest, Timestamp>& ends, Timestamp now) {
  std::erase_if(ends, [now](const auto& entry) { return entry.second <= now; });
}

constexpr std::array<std::pair<std::string_view, PageRole>, 3> kRoles = {
    {{"view", PageRole::kView}, {"answer", PageRole::kAnswer}, {"operate", PageRole::kOperate}}};

}  // namespace

std::string_view RoleName(PageRole role) {
  return std::ranges::find(kRoles, role, &std::pair<std::string_view, PageRole>::second)->first;
}

std::optional<PageRole> RoleNamed(std::string_view name) {
  const auto* found = std::ranges::find(kRoles, name, &std::pair<std::string_view, PageRole>::first);
  return found == kRoles.end() ? std::nullopt : std::optional(found->second);
}

std::optional<PageRole> RoleFor(std::string_view method) {
  const auto* found = std::ranges::find(kMethods, method, &MethodRole::method);
  if (found == kMethods.end()) return std::nullopt;
  return found->role;
}

PageOrigin::PageOrigin(bool tls, const std::string& address, std::uint16_t port)
    : scheme_(tls ? "https" : "http") {
  hosts_.push_back(fmt::format("{}:{}", Bracketed(address), port));
  if (IsLoopback(address)) {
    for (const char* name : {"127.0.0.1", "localhost", "[::1]"})
      hosts_.push_back(fmt::format("{}:{}", name, port));
  }
  url_ = fmt::format("{}://{}", scheme_, hosts_.front());
}

bool PageOrigin::KnowsHost(std::string_view host) const {
  return std::ranges::find(hosts_, host) != hosts_.end();
}

bool PageOrigin::KnowsOrigin(std::string_view origin) const {
  const std::string prefix = scheme_ + "://";
  return origin.starts_with(prefix) && KnowsHost(origin.substr(prefix.size()));
}

void PageAccess::AddLink(std::string_view token, Timestamp now) {
  ForgetEnded(links_, now);
  links_[Sha256(token)] = now + kLinkLife;
}

bool PageAccess::Redeem(std::string_view token, std::string_view session, Timestamp now) {
  ForgetEnded(links_, now);
  if (links_.erase(Sha256(token)) == 0) return false;
  AddSession(session, PageRole::kOperate, now);
  return true;
}

void PageAccess::AddSession(std::string_view session, PageRole role, Timestamp now) {
  Forget(now);
  sessions_[Sha256(session)] = {now + kSessionLife, role};
}

std::optional<PageRole> PageAccess::RoleOf(std::string_view session, Timestamp now) const {
  if (session.empty()) return std::nullopt;
  const auto found = sessions_.find(Sha256(session));
  if (found == sessions_.end() || found->second.end <= now) return std::nullopt;
  return found->second.role;
}

// The oldest give way when there are too many.
void PageAccess::Forget(Timestamp now) {
  std::erase_if(sessions_, [now](const auto& entry) { return entry.second.end <= now; });
  while (sessions_.size() >= kMostSessions) {
    sessions_.erase(
        std::ranges::min_element(sessions_, {}, [](const auto& entry) { return entry.second.end; }));
  }
}

std::string PageAccess::Sessions() const {
  std::string text;
  for (const auto& [hash, session] : sessions_)
    text +=
        fmt::format("{} {} {}\n", hash.Hex(), session.end.time_since_epoch().count(), RoleName(session.role));
  return text;
}

void PageAccess::LoadSessions(std::string_view text, Timestamp now) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t space = line.find(' ');
    const auto hash = Digest::FromHex(line.substr(0, space));
    std::int64_t end = 0;
    if (!hash || space == std::string_view::npos) continue;
    const std::string_view number = line.substr(space + 1);
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), end);
    if (error != std::errc()) continue;
    // Sessions from before there were roles have none; one that is not known may not do anything but look.
    const std::string_view name(rest, static_cast<std::size_t>(number.data() + number.size() - rest));
    const PageRole role =
        name.empty() ? PageRole::kOperate : RoleNamed(name.substr(1)).value_or(PageRole::kView);
    sessions_[*hash] = {Timestamp(Timestamp::duration(end)), role};
  }
  Forget(now);
}

std::string_view BearerToken(std::string_view header) {
  constexpr std::string_view kScheme = "bearer ";
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  if (header.size() <= kScheme.size() ||
      !std::equal(kScheme.begin(), kScheme.end(), header.begin(), [&](char a, char b) { return same(b, a); }))
    return {};
  header.remove_prefix(kScheme.size());
  while (header.starts_with(' ')) header.remove_prefix(1);
  return header;
}

std::string_view CookieValue(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    std::string_view one = header.substr(0, header.find(';'));
    header.remove_prefix(std::min(header.size(), one.size() + 1));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(name) && one.size() > name.size() && one[name.size()] == '=')
      return one.substr(name.size() + 1);
  }
  return {};
}

}  // namespace agenttalk
