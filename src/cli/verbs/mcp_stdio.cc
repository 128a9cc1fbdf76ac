#include "cli/verbs/mcp_stdio.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/hub_caller.h"
#include "api/hub_service.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/visible_text.h"
#include "cli/verbs/plan_workers.h"
#include "mcp/server/hub_calls.h"
#include "mcp/server/server.h"
#include "mcp/server/stdio_session.h"

namespace agenttalk {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using boost::system::error_code;

constexpr std::size_t kLargestMessage = std::size_t{96} << 20U;  // the largest input file, in base64
constexpr std::size_t kMostUnread = std::size_t{64} << 20U;
constexpr std::size_t kReadAtOnce = std::size_t{64} << 10U;
// After the end of stdin, for what was asked before it.
constexpr auto kLastMoment = std::chrono::seconds(2);

// The hub as its owner has it: everything is allowed.
class OwnersHub final : public mcp::HubCalls {
 public:
  OwnersHub(asio::io_context& loop, const std::filesystem::path& hub, std::vector<std::string> run_options)
      : loop_(loop), caller_(loop, hub) {
    workers_.emplace(loop, hub, std::move(run_options));
  }
  // Ends the workers; nothing is asked any more.
  void Stop() { workers_.reset(); }

  [[nodiscard]] bool Allows(std::string_view /*method*/) const override { return true; }

  void Call(const std::string& method, json::object parameters, Done done) override {
    const bool changes = !HubService::IsReading(method).value_or(true);
    caller_.Call(method, std::move(parameters),
                 [this, changes, done = std::move(done)](Result<json::value> result, HubCaller::Where where) {
                   if (changes) recorded_here_ = where == HubCaller::Where::kHere;
                   done(std::move(result));
                 });
  }

  // What a server took in is the server's to work on; one of our own may end before this plan does.
  void Advance(const std::string& plan) override {
    if (workers_ && !plan.empty() && (recorded_here_ || workers_->any())) workers_->Start(plan);
  }
  [[nodiscard]] std::optional<Error> Obstacle(const std::string& plan) const override {
    return workers_ ? workers_->Obstacle(plan) : std::nullopt;
  }

  void Later(std::chrono::milliseconds time, std::function<void()> then) override {
    auto timer = std::make_shared<asio::steady_timer>(loop_, time);
    timer->async_wait([timer, then = std::move(then)](const error_code& error) {
      if (!error) then();
    });
  }
  [[nodiscard]] std::chrono::steady_clock::time_point Now() const override {
    return std::chrono::steady_clock::now();
  }

 private:
  asio::io_context& loop_;
  HubCaller caller_;
  std::optional<PlanWorkers> workers_;
  bool recorded_here_ = false;
};

// The two streams.
class Lines {
 public:
  Lines(asio::io_context& loop, const std::shared_ptr<OwnersHub>& hub)
      : loop_(loop),
        in_(loop, ::dup(STDIN_FILENO)),
        out_(loop, ::dup(STDOUT_FILENO)),
        signals_(loop, SIGINT, SIGTERM),
        last_moment_(loop),
        session_(mcp::Server(hub), kLargestMessage, [this](const std::string& line) { Write(line); }) {}

  void Begin() {
    signals_.async_wait([this](const error_code& error, int /*signal*/) {
      if (!error) loop_.stop();
    });
    Read();
  }

 private:
  void Read() {
    in_.async_read_some(asio::buffer(chunk_), [this](const error_code& error, std::size_t size) {
      if (error) return ReadAll();
      Take({chunk_.data(), size});
      Read();
    });
  }

  void Take(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, end);
      if (line_.size() + part.size() > kLargestMessage) too_long_ = true;
      if (too_long_) {
        line_.clear();
      } else {
        line_ += part;
      }
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      TakeLine();
    }
  }

  void TakeLine() {
    if (std::exchange(too_long_, false)) return session_.TakeTooLong();
    const std::string line = std::exchange(line_, {});
    session_.Take(line);
  }

  // What was asked for may still be answered, but not waited for.
  void ReadAll() {
    if (!line_.empty() || too_long_) TakeLine();
    ended_ = true;
    last_moment_.expires_after(kLastMoment);
    last_moment_.async_wait([this](const error_code& error) {
      if (!error) loop_.stop();
    });
    EndIfDone();
  }

  void EndIfDone() {
    if (ended_ && queue_.empty() && !session_.busy()) loop_.stop();
  }

  void Write(const std::string& line) {
    unread_ += line.size();
    if (unread_ > kMostUnread) return loop_.stop();  // nobody reads
    queue_.push_back(VisibleText(line) + "\n");
    if (queue_.size() == 1) WriteNext();
  }

  void WriteNext() {
    asio::async_write(out_, asio::buffer(queue_.front()), [this](const error_code& error, std::size_t size) {
      if (error) return loop_.stop();
      unread_ -= std::min(unread_, size);
      queue_.pop_front();
      if (!queue_.empty()) return WriteNext();
      EndIfDone();
    });
  }

  asio::io_context& loop_;
  asio::posix::stream_descriptor in_;
  asio::posix::stream_descriptor out_;
  asio::signal_set signals_;
  asio::steady_timer last_moment_;
  std::array<char, kReadAtOnce> chunk_{};
  std::string line_;
  bool too_long_ = false;
  bool ended_ = false;
  std::deque<std::string> queue_;
  std::size_t unread_ = 0;
  mcp::StdioSession session_;
};

}  // namespace

Result<void> ServeMcpOnStdio(const std::filesystem::path& hub, std::vector<std::string> run_options) {
  ::signal(SIGPIPE, SIG_IGN);
  asio::io_context loop;
  const auto owners = std::make_shared<OwnersHub>(loop, hub, std::move(run_options));
  Lines lines(loop, owners);
  lines.Begin();
  loop.run();
  owners->Stop();
  return {};
}

}  // namespace agenttalk
