#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/mutex.h"
#include "base/reactor.h"
#include "base/time.h"
#include "base/timer.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {

struct ExecOptions {
  std::vector<std::string> argv;
  std::vector<std::string> env = {};  // names of variables that the program gets besides the usual ones
  bool prompt_as_argument = false;    // else on its standard input
  std::string answer_at = {};         // a JSON Pointer into what it prints; empty: all of it
  std::string model = {};
  std::vector<std::string> model_argv = {};  // added where a model is named; {model} is its name
  Duration timeout{};                        // of one call; 0: the request's, else ten minutes
  std::size_t max_answer_bytes = std::size_t{4} << 20U;
  // Where the program runs, made if need be; empty: here.
  std::function<Result<std::string>(const CallIds&)> directory = {};
};

// The whole request as one text, for a program that takes nothing else.
std::string PromptText(const ModelRequest& request);

// A command-line program as a model. Each call has a thread that waits for it; how many there are at once is
// bounded by whoever stands before this provider.
class ExecProvider final : public ModelProvider {
 public:
  // The reactor outlives the provider, and the provider its calls.
  static Result<std::shared_ptr<ExecProvider>> Make(Reactor& reactor, ExecOptions options);
  ~ExecProvider() override;
  ExecProvider(const ExecProvider&) = delete;
  ExecProvider& operator=(const ExecProvider&) = delete;

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;

 private:
  class Handle;
  struct Run {
    std::thread thread;
    ChildStop stop;
    Done done;  // empty: cancelled
    Duration timeout{};
  };

  ExecProvider(Reactor& reactor, ExecOptions options, FileDescriptor news);
  Result<ChildSpec> SpecOf(const ModelRequest& request) const;
  void TakeNews();
  ModelOutcome Outcome(const Result<ChildOutcome>& ended, Duration timeout) const;

  const ExecOptions options_;
  const FileDescriptor news_;  // an eventfd: something is in `ended_`
  std::map<std::uint64_t, Run> runs_;
  std::uint64_t runs_made_ = 0;
  Mutex mutex_;
  std::vector<std::pair<std::uint64_t, Result<ChildOutcome>>> ended_ GUARDED_BY(mutex_);
  std::unique_ptr<Registration> watch_;
};

}  // namespace agenttalk
