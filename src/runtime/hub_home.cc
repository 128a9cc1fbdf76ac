#include "runtime/hub_home.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/time.h"
#include "journal/durable_file.h"
#include "journal/sqlite_journal.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kFenceKeyBytes = 32;
constexpr std::size_t kHolderBytes = 4096;
// Recording something takes far less.
constexpr auto kPatience = std::chrono::seconds(5);
constexpr auto kPause = std::chrono::milliseconds(10);

const char* NameOf(Purpose purpose) {
  return purpose == Purpose::kServe ? "serve" : "record";
}

fs::path HolderFile(const fs::path& hub) {
  return HomeOf(hub) / "holder.json";
}

void WriteHolder(const fs::path& hub, Purpose purpose) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const json::object holder{
      {"pid", ::getpid()},
      {"host", host.data()},
      {"since",
       ToRfc3339(std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now()))},
      {"purpose", NameOf(purpose)}};
  const fs::path file = HolderFile(hub);
  // Only a message depends on it, so a failure is no reason not to start.
  (void)WriteFileDurably(file.string() + ".tmp", file, CompactJson(holder) + "\n");
}

json::object ReadHolder(const fs::path& hub) {
  const auto text = ReadFileUpTo(HolderFile(hub), kHolderBytes);
  const auto value = text ? ParseJson(*text) : Fail(ErrorCode::kNotFound, {});
  return value && value->is_object() ? value->as_object() : json::object();
}

std::string Part(const json::object& holder, const char* name) {
  const json::value* found = holder.if_contains(name);
  if (found == nullptr) return "?";
  return found->is_string() ? std::string(found->as_string()) : CompactJson(*found);
}

std::string DescribeHolder(const json::object& holder) {
  if (holder.empty()) return "another process";
  return fmt::format("process {} on {} ({}, since {})", Part(holder, "pid"), Part(holder, "host"),
                     Part(holder, "purpose"), Part(holder, "since"));
}

}  // namespace

Result<std::string> RandomBytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t got = 0; got < count;) {
    const ssize_t more = ::getrandom(bytes.data() + got, count - got, 0);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return FailErrno("getrandom");
    got += static_cast<std::size_t>(more);
  }
  return bytes;
}

fs::path HomeOf(const fs::path& hub) {
  return hub / ".agenttalk";
}

fs::path SocketOf(const fs::path& hub) {
  return HomeOf(hub) / "agenttalk.sock";
}

Result<std::unique_ptr<SqliteJournal>> TakeJournal(const fs::path& hub, Purpose purpose) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    auto journal = SqliteJournal::Open(HomeOf(hub));
    if (journal) WriteHolder(hub, purpose);
    if (journal || journal.error().code != ErrorCode::kHubLocked) return journal;
    const json::object holder = ReadHolder(hub);
    // One that has not even said who it is has just come.
    const bool leaves_soon = Part(holder, "purpose") != NameOf(Purpose::kServe);
    if (!leaves_soon || std::chrono::steady_clock::now() > until) {
      return Fail(ErrorCode::kHubLocked,
                  fmt::format("{} is held by {}", hub.string(), DescribeHolder(holder)),
                  "let it do the work, or stop it first");
    }
    std::this_thread::sleep_for(kPause);
  }
}

Result<std::optional<std::string>> HolderOf(const fs::path& hub) {
  if (!TRY(IsLocked(HomeOf(hub) / "journal.lock"))) return std::nullopt;
  return DescribeHolder(ReadHolder(hub));
}

std::optional<pid_t> HolderProcess(const fs::path& hub) {
  const auto locked = IsLocked(HomeOf(hub) / "journal.lock");
  if (!locked || !*locked) return std::nullopt;
  const json::object holder = ReadHolder(hub);
  const json::value* pid = holder.if_contains("pid");
  if (pid == nullptr || !pid->is_int64() || pid->as_int64() <= 0) return std::nullopt;
  return static_cast<pid_t>(pid->as_int64());
}

Result<std::string> FenceKey(const fs::path& hub) {
  const fs::path file = HomeOf(hub) / "fence.key";
  if (auto known = ReadFileUpTo(file, kFenceKeyBytes + 1); known && known->size() == kFenceKeyBytes)
    return known;
  std::string key = TRY(RandomBytes(kFenceKeyBytes));
  const mode_t old = ::umask(S_IRWXG | S_IRWXO);
  auto written = WriteFileDurably(file.string() + ".tmp", file, key);
  ::umask(old);
  TRY(std::move(written));
  return key;
}

}  // namespace agenttalk
