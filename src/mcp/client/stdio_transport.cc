#include "mcp/client/stdio_transport.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/child_start.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/reactor.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"

namespace agenttalk::mcp {
namespace {

constexpr std::size_t kReadSize = std::size_t{64} << 10U;
// One look reads no more, so that a server that floods us does not keep the loop from everybody else.
constexpr int kReadsPerLook = 4;
constexpr std::size_t kLastWords = 2000;
constexpr std::size_t kMostWaiting = std::size_t{64} << 20U;

// Why it ended, with what it said about it.
std::string EndText(int status, const std::string& words) {
  std::string text = WIFSIGNALED(status)
                         ? fmt::format("it was ended by a signal: {}", ::strsignal(WTERMSIG(status)))
                         : fmt::format("it ended with exit code {}", WEXITSTATUS(status));
  const std::size_t end = words.find_last_not_of(" \r\n\t");
  if (end == std::string::npos) return text;
  const std::string_view said = std::string_view(words).substr(0, end + 1);
  const std::size_t last = said.rfind('\n', said.size());
  const std::string_view line = last == std::string_view::npos ? said : said.substr(last + 1);
  return fmt::format("{}; its last words: {}", text, Redact(ToValidUtf8(std::string(line))));
}

}  // namespace

Result<std::unique_ptr<StdioTransport>> StdioTransport::Start(Reactor& reactor, const ServerProgram& program,
                                                              TransportListener& listener) {
  // None is started before its predecessor, which a former process of ours may have left, is dead.
  if (!program.mark.empty()) KillMarked(program.mark);
  StartedChild child = TRY(StartChild(program.argv, program.environment, program.directory, program.passed,
                                      program.group ? program.group->members() : -1));
  return std::unique_ptr<StdioTransport>(new StdioTransport(reactor, program, std::move(child), listener));
}

StdioTransport::StdioTransport(Reactor& reactor, const ServerProgram& program, StartedChild child,
                               TransportListener& listener)
    : reactor_(reactor),
      name_(program.argv.front()),
      mark_(program.mark),
      group_(program.group),
      largest_(program.largest_message),
      listener_(listener),
      child_(std::move(child)),
      lines_(program.largest_message) {
  output_ = reactor_.Watch(child_.out.get(), EPOLLIN, [this](std::uint32_t /*ready*/) { ReadOutput(); });
  errors_ = reactor_.Watch(child_.err.get(), EPOLLIN, [this](std::uint32_t /*ready*/) { ReadErrors(); });
  end_ = reactor_.Watch(child_.pidfd.get(), EPOLLIN, [this](std::uint32_t /*ready*/) { Ended(); });
}

StdioTransport::~StdioTransport() {
  input_.reset();
  output_.reset();
  errors_.reset();
  end_.reset();
  if (child_.pid > 0) Kill();
}

void StdioTransport::Send(OutgoingMessage message) {
  if (closed_ || !child_.in.valid()) return;
  waiting_bytes_ += message.text.size() + 1;
  waiting_.push_back(std::move(message.text) + "\n");
  if (waiting_bytes_ > kMostWaiting) {
    later_ = reactor_.At(reactor_.Now(), [this] { Closed("it does not read what it is sent"); });
    return;
  }
  if (!input_) Write();
}

void StdioTransport::Write() {
  const BrokenPipesIgnored ignored;
  while (!waiting_.empty()) {
    const std::string& line = waiting_.front();
    const ssize_t wrote = ::write(child_.in.get(), line.data() + written_, line.size() - written_);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) {
      WatchInput();
      return;
    }
    if (wrote < 0) break;  // it does not read any more; its end says why
    written_ += static_cast<std::size_t>(wrote);
    if (written_ < line.size()) continue;
    waiting_bytes_ -= line.size();
    waiting_.pop_front();
    written_ = 0;
  }
  input_.reset();
}

void StdioTransport::WatchInput() {
  if (input_) return;
  input_ = reactor_.Watch(child_.in.get(), EPOLLOUT, [this](std::uint32_t /*ready*/) {
    input_.reset();
    Write();
  });
}

void StdioTransport::ReadOutput() {
  std::array<char, kReadSize> buffer;
  for (int i = 0; i < kReadsPerLook && !closed_; ++i) {
    const ssize_t got = ::read(child_.out.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      // Its end tells why; a program that only closes its output is of no use either.
      output_.reset();
      CloseInput();
      Terminate();
      return;
    }
    const bool fits = lines_.Feed({buffer.data(), static_cast<std::size_t>(got)},
                                  [this](std::string_view line) { TakeLine(line); });
    if (!fits && !closed_) Closed(fmt::format("it sent a message of more than {} bytes", largest_));
    if (static_cast<std::size_t>(got) < buffer.size()) return;
  }
}

void StdioTransport::TakeLine(std::string_view line) {
  if (closed_ || line.find_first_not_of(" \t") == std::string_view::npos) return;
  auto message = ParseRpc(line, largest_);
  if (message) {
    listener_.OnMessage(std::move(*message), 0);
  } else {
    listener_.OnGarbage(std::string(line.substr(0, kLastWords)));
  }
}

void StdioTransport::ReadErrors() {
  std::array<char, kReadSize> buffer;
  const ssize_t got = ::read(child_.err.get(), buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    errors_.reset();
    return;
  }
  last_words_.append(buffer.data(), static_cast<std::size_t>(got));
  if (last_words_.size() > kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
}

void StdioTransport::CloseInput() {
  input_.reset();
  waiting_.clear();
  waiting_bytes_ = 0;
  child_.in = FileDescriptor();
}

void StdioTransport::Terminate() const {
  if (child_.pid > 0) ::kill(-child_.pid, SIGTERM);
}

bool StdioTransport::HasEnded() const {
  if (child_.pid <= 0) return true;
  pollfd look{child_.pidfd.get(), POLLIN, 0};
  return ::poll(&look, 1, 0) > 0;
}

void StdioTransport::Closed(const std::string& why) {
  if (std::exchange(closed_, true)) return;
  output_.reset();
  CloseInput();
  listener_.OnClosed(why);
}

// What it wrote before its end is read first: the answer may be among it.
void StdioTransport::Ended() {
  end_.reset();
  while (output_ && !closed_) {
    pollfd look{child_.out.get(), POLLIN, 0};
    if (::poll(&look, 1, 0) <= 0 || (look.revents & POLLIN) == 0) break;
    ReadOutput();
  }
  if (errors_) ReadErrors();
  const bool memory = group_ && group_->RanOutOfMemory();
  const int status = Kill();
  Closed(memory ? "it took more memory than the sandbox allows" : EndText(status, last_words_));
}

int StdioTransport::Kill() {
  const int status = KillChild(std::exchange(child_.pid, -1), mark_);
  if (group_) group_->End();
  return status;
}

}  // namespace agenttalk::mcp
