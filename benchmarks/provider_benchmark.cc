#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/reactor.h"
#include "base/time.h"
#include "llm/curl_client.h"
#include "llm/http_provider.h"
#include "llm/model_provider.h"
#include "llm/paced_provider.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

// provider_benchmark: a thousand calls at once to a server that answers after 200 ms, on one thread. The
// server is a process of its own, so that the memory is the client's alone. The yardstick is one call.
namespace agenttalk {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCalls = 1000;
constexpr auto kAnswerAfter = std::chrono::milliseconds(200);
constexpr double kLongest = 1.0;     // seconds
constexpr double kMostMemory = 100;  // MB

const std::string kBody =
    "data: "
    "{\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{\\\"result\\\":"
    "\\\"ok\\\"}\"}}]}\n\n"
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":5}}\n\ndata: "
    "[DONE]\n\n";

// Answers every request on every connection with the same stream, 200 ms after its last byte.
class SlowServer {
 public:
  explicit SlowServer(int listener) : listener_(listener), epoll_(::epoll_create1(0)) { Watch(listener_); }

  [[noreturn]] void Run() {
    std::array<epoll_event, 256> events{};
    while (true) {
      const int ready =
          ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), waiting_.empty() ? 1000 : 1);
      for (int i = 0; i < ready; ++i) {
        const int socket = events[static_cast<std::size_t>(i)].data.fd;
        if (socket == listener_) {
          const int accepted = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
          if (accepted >= 0) Watch(accepted);
        } else {
          Read(socket);
        }
      }
      while (!waiting_.empty() && waiting_.front().first <= Clock::now()) {
        const std::string answer =
            fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {}\r\n\r\n{}",
                        kBody.size(), kBody);
        [[maybe_unused]] const ssize_t wrote =
            ::send(waiting_.front().second, answer.data(), answer.size(), MSG_NOSIGNAL);
        waiting_.pop_front();
      }
    }
  }

 private:
  void Watch(int socket) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = socket;
    CHECK(::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) == 0);
  }

  void Read(int socket) {
    std::array<char, 65536> buffer;
    const ssize_t got = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      requests_.erase(socket);
      ::close(socket);
      return;
    }
    std::string& request = requests_[socket].append(buffer.data(), static_cast<std::size_t>(got));
    // The benchmark's requests end with this and hold it nowhere else.
    if (!request.ends_with(R"({"include_usage":true}})")) return;
    request.clear();
    waiting_.emplace_back(Clock::now() + kAnswerAfter, socket);
  }

  const int listener_;
  const int epoll_;
  std::map<int, std::string> requests_;
  std::deque<std::pair<Clock::time_point, int>> waiting_;
};

std::string StartServer() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  CHECK(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(listener, 4096) == 0);
  CHECK(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  if (::fork() == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    SlowServer(listener).Run();
  }
  ::close(listener);
  return fmt::format("http://127.0.0.1:{}/v1", ntohs(address.sin_port));
}

double Seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

double PeakMegabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

class Client {
 public:
  explicit Client(const std::string& url)
      : reactor_(std::move(*Reactor::Open())), http_(*reactor_), gate_(kCalls) {
    WireOptions wire;
    wire.base_url = url;
    wire.model = "m";
    PacingOptions pacing;
    pacing.max_parallel = kCalls;
    provider_ = std::make_unique<PacedProvider>(
        std::make_shared<HttpProvider>(http_, MakeOpenaiFormat(wire), HttpProviderOptions{},
                                       [] { return Timestamp(); }),
        pacing, *reactor_, gate_, [] { return 0.0; });
  }

  // How long so many calls at once take.
  double Ask(int calls) {
    const auto start = Clock::now();
    int answered = 0;
    std::vector<std::unique_ptr<ModelCall>> open;
    for (int i = 0; i < calls; ++i) {
      ModelRequest request;
      request.messages.push_back({Role::kUser, "What is it?", {}, {}, false});
      open.push_back(provider_->Ask(std::move(request), [&](const ModelReply& reply) {
        CHECK(reply.outcome && reply.outcome->text == R"({"result":"ok"})");
        ++answered;
      }));
    }
    while (answered < calls) reactor_->WaitAndStep(std::chrono::seconds(1));
    return Seconds(Clock::now() - start);
  }

 private:
  std::unique_ptr<Reactor> reactor_;
  CurlClient http_;
  CallGate gate_;
  std::unique_ptr<PacedProvider> provider_;
};

int Main() {
  const std::string url = StartServer();
  Client client(url);
  const double one = client.Ask(1);
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(Client(url).Ask(kCalls));
  std::ranges::sort(times);
  const double median = times[times.size() / 2];
  const double memory = PeakMegabytes();
  fmt::print(
      R"({{"name": "model calls: {} at once", "value": {:.3f}, "unit": "s", "spread": "{:.3f}-{:.3f}", )"
      R"("yardstick": "one call: {:.3f} s", "ratio": {:.2f}, "target": "< {} s", "ok": {}}})"
      "\n",
      kCalls, median, times.front(), times.back(), one, median / one, kLongest, median < kLongest);
  fmt::print(
      R"({{"name": "model calls: peak memory", "value": {:.1f}, "unit": "MB", "target": "< {} MB", "ok": {}}})"
      "\n",
      memory, kMostMemory, memory < kMostMemory);
  return 0;
}

}  // namespace
}  // namespace agenttalk

int main() {
  return agenttalk::Main();
}
