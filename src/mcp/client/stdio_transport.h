#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_start.h"
#include "base/control_group.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/reactor.h"
#include "base/time.h"
#include "base/timer.h"
#include "llm/line_splitter.h"
#include "llm/model_errors.h"
#include "mcp/client/transport.h"

namespace agenttalk::mcp {

struct ServerProgram {
  std::vector<std::string> argv;
  std::vector<std::string> environment;      // "NAME=value", all of it
  std::string directory = {};                // empty: ours
  int passed = -1;                           // as ChildSpec::passed
  std::string mark = {};                     // "NAME=value", by which whatever it started is found and ended
  std::shared_ptr<ControlGroup> group = {};  // ends with it; none: it is in ours
  std::size_t largest_message = std::size_t{32} << 20U;
};

// A server that is a program of ours: one message a line on its standard streams. It is dead when this is
// destroyed, and when this process ends.
class StdioTransport final : public Transport {
 public:
  // The listener and the reactor outlive it. NOT_FOUND: there is no such program.
  static Result<std::unique_ptr<StdioTransport>> Start(Reactor& reactor, const ServerProgram& program,
                                                       TransportListener& listener);
  ~StdioTransport() override;

  void Send(OutgoingMessage message) override;
  void Drop(std::int64_t /*id*/) override {}
  void ListenApart(HttpHeaders /*headers*/) override {}
  [[nodiscard]] bool is_http() const override { return false; }

  // Tells the program to end by closing its input. It is given until `Ended` or the destructor.
  void CloseInput();
  // Asks it with a signal.
  void Terminate() const;
  [[nodiscard]] bool HasEnded() const;
  // What it wrote to its standard error last.
  [[nodiscard]] const std::string& last_words() const { return last_words_; }
  [[nodiscard]] pid_t pid() const { return child_.pid; }

 private:
  StdioTransport(Reactor& reactor, const ServerProgram& program, StartedChild child,
                 TransportListener& listener);

  void ReadOutput();
  void TakeLine(std::string_view line);
  void ReadErrors();
  void Write();
  void WatchInput();
  void Closed(const std::string& why);
  void Ended();
  int Kill();

  Reactor& reactor_;
  const std::string name_;
  const std::string mark_;
  const std::shared_ptr<ControlGroup> group_;
  const std::size_t largest_;
  TransportListener& listener_;
  StartedChild child_;
  LineSplitter lines_;
  std::string last_words_;
  std::deque<std::string> waiting_;  // lines that are to be written
  std::size_t waiting_bytes_ = 0;
  std::size_t written_ = 0;  // of the first of them
  bool closed_ = false;
  std::unique_ptr<Registration> output_;
  std::unique_ptr<Registration> errors_;
  std::unique_ptr<Registration> input_;
  std::unique_ptr<Registration> end_;
  std::unique_ptr<Registration> later_;
};

}  // namespace agenttalk::mcp
