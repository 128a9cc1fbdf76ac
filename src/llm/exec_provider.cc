#include "llm/exec_provider.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/mutex.h"
#include "base/reactor.h"
#include "base/time.h"
#include "llm/model_errors.h"
#include "llm/model_provider.h"
#include "llm/program_output.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr Duration kDefaultTimeout = std::chrono::minutes(10);
constexpr std::size_t kLongestArgument = 128 * 1024 - 1;  // the kernel's limit for one
constexpr std::size_t kOutputPerAnswer = 4;               // what stands around the answer

std::string Heading(const ChatMessage& message) {
  switch (message.role) {
    case Role::kAssistant:
      return "## Your answer so far";
    case Role::kTool:
      return "## Result of a tool";
    case Role::kUser:
      break;
  }
  return "## Request";
}

std::string WithModel(std::string argument, const std::string& model) {
  constexpr std::string_view kPlace = "{model}";
  if (const std::size_t at = argument.find(kPlace); at != std::string::npos) {
    argument.replace(at, kPlace.size(), model);
  }
  return argument;
}

// What programs need to find their files and to speak the user's language. Everything else, keys above all,
// is given by name only.
constexpr std::array<std::string_view, 14> kUsualVariables = {
    "PATH", "HOME", "USER",   "LOGNAME",         "SHELL",         "LANG",           "LANGUAGE",
    "TERM", "TZ",   "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"};

std::vector<std::string> EnvironmentFor(const std::vector<std::string>& named) {
  std::vector<std::string> list;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (name.starts_with("LC_") || std::ranges::find(kUsualVariables, name) != kUsualVariables.end() ||
        std::ranges::find(named, name) != named.end())
      list.emplace_back(variable);
  }
  return list;
}

// A variable that whatever the program starts inherits, so that it can be found and ended.
std::string NewMark() {
  std::random_device device;
  return fmt::format("AGENTTALK_CALL={:08x}{:08x}{:08x}", device(), device(), device());
}

}  // namespace

std::string PromptText(const ModelRequest& request) {
  std::string text = request.system;
  for (const ChatMessage& message : request.messages) {
    if (!text.empty()) text += "\n\n";
    // One question needs no headings.
    if (request.messages.size() > 1) text += Heading(message) + "\n";
    text += message.text;
  }
  return text;
}

class ExecProvider::Handle final : public ModelCall {
 public:
  Handle(ExecProvider& provider, std::uint64_t id) : provider_(provider), id_(id) {}
  ~Handle() override {
    const auto found = provider_.runs_.find(id_);
    if (found == provider_.runs_.end()) return;
    // Its thread is joined when it says that the program is gone.
    found->second.done = nullptr;
    found->second.stop.Request();
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

 private:
  ExecProvider& provider_;
  const std::uint64_t id_;
};

Result<std::shared_ptr<ExecProvider>> ExecProvider::Make(Reactor& reactor, ExecOptions options) {
  FileDescriptor news(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!news.valid()) return FailErrno("eventfd");
  return std::shared_ptr<ExecProvider>(new ExecProvider(reactor, std::move(options), std::move(news)));
}

ExecProvider::ExecProvider(Reactor& reactor, ExecOptions options, FileDescriptor news)
    : options_(std::move(options)), news_(std::move(news)) {
  watch_ = reactor.Watch(news_.get(), EPOLLIN, [this](std::uint32_t) { TakeNews(); });
}

ExecProvider::~ExecProvider() {
  for (auto& [id, run] : runs_) run.stop.Request();
  for (auto& [id, run] : runs_) run.thread.join();
}

Result<ChildSpec> ExecProvider::SpecOf(const ModelRequest& request) const {
  ChildSpec spec;
  spec.argv = options_.argv;
  const std::string& model = request.model.empty() ? options_.model : request.model;
  if (!model.empty()) {
    for (const std::string& argument : options_.model_argv) spec.argv.push_back(WithModel(argument, model));
  }
  spec.environment = EnvironmentFor(options_.env);
  spec.mark = NewMark();
  spec.environment.push_back(spec.mark);
  if (options_.directory) spec.directory = TRY(options_.directory(request.ids));
  std::string prompt = PromptText(request);
  if (!options_.prompt_as_argument) {
    spec.input = std::move(prompt);
  } else if (prompt.size() > kLongestArgument || prompt.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kTooLarge, "the prompt does not fit into an argument", "set prompt_via: stdin");
  } else {
    spec.argv.push_back(std::move(prompt));
  }
  spec.limits.timeout = kDefaultTimeout;
  for (const Duration bound : {request.timeout, options_.timeout}) {
    if (bound > Duration{}) spec.limits.timeout = std::min(spec.limits.timeout, bound);
  }
  if (options_.timeout <= Duration{} && request.timeout > kDefaultTimeout)
    spec.limits.timeout = request.timeout;
  spec.limits.output_bytes = options_.max_answer_bytes * kOutputPerAnswer;
  return spec;
}

std::unique_ptr<ModelCall> ExecProvider::Ask(ModelRequest request, Done done) {
  auto spec = SpecOf(request);
  auto stop = ChildStop::Make();
  if (!spec || !stop) {
    done({std::unexpected(Unavailable(spec ? stop.error().message : spec.error().message)), {}, {}});
    return nullptr;
  }
  const std::uint64_t id = ++runs_made_;
  const Duration timeout = spec->limits.timeout;
  Run& run = runs_.emplace(id, Run{{}, std::move(*stop), std::move(done), timeout}).first->second;
  run.thread = std::thread([this, id, &run, spec = std::move(*spec)] {
    auto ended = RunChild(spec, run.stop);
    const MutexLock lock(mutex_);
    ended_.emplace_back(id, std::move(ended));
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = ::write(news_.get(), &one, sizeof one);
  });
  return std::make_unique<Handle>(*this, id);
}

void ExecProvider::TakeNews() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(news_.get(), &count, sizeof count);
  std::vector<std::pair<std::uint64_t, Result<ChildOutcome>>> ended;
  {
    const MutexLock lock(mutex_);
    ended.swap(ended_);
  }
  for (const auto& [id, outcome] : ended) {
    Run run = std::move(runs_.extract(id).mapped());
    run.thread.join();
    if (run.done) run.done({Outcome(outcome, run.timeout), {}, {}});
  }
}

ModelOutcome ExecProvider::Outcome(const Result<ChildOutcome>& ended, Duration timeout) const {
  if (!ended) return std::unexpected(Unavailable(ended.error().message));
  switch (ended->end) {
    case ChildEnd::kExited:
      break;
    case ChildEnd::kTimedOut:
    case ChildEnd::kStopped:
      return std::unexpected(TimedOut(timeout, "the program did not end"));
    case ChildEnd::kTooMuchOutput:
      return std::unexpected(TooLarge(options_.max_answer_bytes));
    case ChildEnd::kSignalled:
    case ChildEnd::kTooMuchMemory:
    case ChildEnd::kTooMuchDisk:
      return std::unexpected(CutOff(fmt::format("the program was ended by signal {}", ended->status)));
  }
  if (ended->status != 0) {
    return std::unexpected(BadResponse(fmt::format("{} ended with {}: {}", options_.argv[0], ended->status,
                                                   ProgramFailure(ended->out, ended->err)),
                                       true));
  }
  ModelOutcome outcome = ReadProgramAnswer(ended->out, options_.answer_at);
  if (outcome && outcome->text.size() > options_.max_answer_bytes) {
    return std::unexpected(TooLarge(options_.max_answer_bytes));
  }
  if (outcome && outcome->model.empty()) outcome->model = options_.model;
  return outcome;
}

}  // namespace agenttalk
