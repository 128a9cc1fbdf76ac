#include "base/child_process.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/file_descriptor.h"

namespace agenttalk {
namespace {

ChildSpec Shell(std::string script) {
  ChildSpec spec;
  spec.argv = {"/bin/sh", "-c", std::move(script)};
  spec.environment = {"PATH=/usr/bin:/bin"};
  return spec;
}

ChildOutcome RunToEnd(const ChildSpec& spec) {
  const ChildStop stop = ChildStop::Make().value();
  auto outcome = RunChild(spec, stop);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome.value_or(ChildOutcome{});
}

TEST(ChildProcess, GivesBothStreamsAndTheExitCode) {
  const ChildOutcome outcome = RunToEnd(Shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(outcome.end, ChildEnd::kExited);
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.out, "out\n");
  EXPECT_EQ(outcome.err, "err\n");
}

TEST(ChildProcess, HandsOverItsInputWhateverItsSize) {
  ChildSpec spec = Shell("wc -c");
  spec.input = std::string(3'000'000, 'x');
  EXPECT_EQ(RunToEnd(spec).out, "3000000\n");
}

TEST(ChildProcess, SurvivesAProgramThatDoesNotReadItsInput) {
  ChildSpec spec = Shell("exec 0<&-; echo done");
  spec.input = std::string(3'000'000, 'x');
  EXPECT_EQ(RunToEnd(spec).out, "done\n");
}

TEST(ChildProcess, InheritsNothingButWhatIsGiven) {
  ChildSpec spec = Shell("env | grep -v -e ^PWD= -e ^SHLVL= -e ^_=; ls /proc/self/fd | wc -l; pwd");
  spec.environment = {"PATH=/usr/bin:/bin", "GIVEN=1"};
  spec.directory = "/usr";
  // ls itself opens a fourth.
  EXPECT_EQ(RunToEnd(spec).out, "PATH=/usr/bin:/bin\nGIVEN=1\n4\n/usr\n");
}

TEST(ChildProcess, EndsOneThatTakesTooLongThoughItIgnoresSignals) {
  ChildSpec spec = Shell("trap '' TERM INT HUP; echo begun; while :; do sleep 1; done");
  spec.limits.timeout = std::chrono::milliseconds(100);
  const ChildOutcome outcome = RunToEnd(spec);
  EXPECT_EQ(outcome.end, ChildEnd::kTimedOut);
  EXPECT_EQ(outcome.out, "begun\n");
}

TEST(ChildProcess, KillsWhatTheProgramStartedWhenItEnds) {
  const ChildOutcome outcome = RunToEnd(Shell("sleep 1000 & echo $!"));
  EXPECT_EQ(outcome.end, ChildEnd::kExited);
  const int grandchild = std::stoi(outcome.out);
  // It was told to die; whoever adopted it takes a moment to notice.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (::kill(grandchild, 0) == 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  std::string state = "gone";
  if (::kill(grandchild, 0) == 0) state = RunToEnd(Shell("ps -o stat= -p " + std::to_string(grandchild))).out;
  EXPECT_TRUE(state == "gone" || state.starts_with("Z")) << state;
}

TEST(ChildProcess, DiesWithTheProcessThatStartedIt) {
  const std::string told = testing::TempDir() + "child_process_test." + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(told.c_str(), 0600), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    RunToEnd(Shell("echo $$ > " + told + "; exec sleep 1000"));
    ::_exit(0);
  }
  pid_t child = 0;
  std::ifstream(told) >> child;  // waits until it is told
  ::unlink(told.c_str());
  ASSERT_GT(child, 0);
  const FileDescriptor watched(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  ASSERT_GE(watched.get(), 0);
  ASSERT_EQ(::kill(parent, SIGKILL), 0);
  ::waitpid(parent, nullptr, 0);
  pollfd dead{.fd = watched.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&dead, 1, 10'000), 1) << "it outlives its parent";
  ::kill(child, SIGKILL);
}

TEST(ChildProcess, EndsOneThatWritesWithoutEnd) {
  ChildSpec spec = Shell("yes");
  spec.limits.output_bytes = 1000;
  const ChildOutcome outcome = RunToEnd(spec);
  EXPECT_EQ(outcome.end, ChildEnd::kTooMuchOutput);
  EXPECT_EQ(outcome.out.size(), 1000);
}

TEST(ChildProcess, EndsOneThatTakesTooMuchMemory) {
  ChildSpec spec = Shell("exec python3 -c 'x = b\"x\" * 200_000_000; import time; time.sleep(100)'");
  spec.limits.memory_bytes = 100'000'000;
  spec.limits.timeout = std::chrono::seconds(60);
  EXPECT_EQ(RunToEnd(spec).end, ChildEnd::kTooMuchMemory);
}

TEST(ChildProcess, CanBeStoppedFromAnotherThread) {
  const ChildStop stop = ChildStop::Make().value();
  std::thread other([&] { stop.Request(); });
  EXPECT_EQ(RunChild(Shell("sleep 100"), stop).value().end, ChildEnd::kStopped);
  other.join();
}

TEST(ChildProcess, SaysThatAProgramIsNotThere) {
  const ChildStop stop = ChildStop::Make().value();
  ChildSpec spec;
  spec.argv = {"no-such-program"};
  const auto outcome = RunChild(spec, stop);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(outcome.error().message, "no-such-program cannot be started: No such file or directory");
}

TEST(ChildProcess, TellsWhichSignalEndedIt) {
  const ChildOutcome outcome = RunToEnd(Shell("kill -9 $$"));
  EXPECT_EQ(outcome.end, ChildEnd::kSignalled);
  EXPECT_EQ(outcome.status, SIGKILL);
}

}  // namespace
}  // namespace agenttalk
