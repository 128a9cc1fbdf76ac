#include "tools/program_tool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/ids.h"
#include "base/json.h"
#include "tools/sandbox.h"
#include "tools/tool_fixture.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

class ProgramToolTest : public testing::Test {
 protected:
  void SetUp() override {
    if (FindSandbox().empty()) GTEST_SKIP() << "bubblewrap is not installed";
    const std::string tried = tools_.Call("run_program", R"({"argv":["true"]})").output;
    if (tried.find("bwrap: ") != std::string::npos)
      GTEST_SKIP() << "bubblewrap does not work here: " << tried;
  }
  ToolOutcomeReport Shell(std::string_view script, int seconds = 30) {
    std::string arguments = R"({"argv":["/bin/sh","-c",)";
    AppendJsonString(script, arguments);
    return tools_.Call("run_program", arguments + R"(],"timeout_seconds":)" + std::to_string(seconds) + "}");
  }
  ToolFixture tools_;
};

TEST_F(ProgramToolTest, WorksInTheTasksFolder) {
  tools_.Put("inputs/a.txt", "from the input\n");
  const auto report = Shell("pwd; cat inputs/a.txt | tee outputs/b.txt; exit 3");
  EXPECT_FALSE(report.error);
  EXPECT_EQ(report.output, "exit code 3\n--- output\n/task\nfrom the input\n");
  EXPECT_EQ(tools_.Get("outputs/b.txt"), "from the input\n");
}

TEST_F(ProgramToolTest, ChangesWhatTheOtherToolsWroteAndTheOtherWayRound) {
  EXPECT_FALSE(tools_.Call("write_file", R"({"path":"work/deep/a.txt","content":"one"})").error);
  EXPECT_EQ(Shell("echo two >> work/deep/a.txt; mkdir work/made; echo three > work/made/b.txt").output,
            "exit code 0\n");
  EXPECT_EQ(tools_.Call("read_file", R"({"path":"work/deep/a.txt"})").output, "onetwo\n");
  EXPECT_FALSE(tools_.Call("write_file", R"({"path":"work/made/b.txt","content":"four"})").error);
  EXPECT_EQ(tools_.Get("work/made/b.txt"), "four");
}

TEST_F(ProgramToolTest, HandsOverItsInput) {
  EXPECT_EQ(tools_.Call("run_program", R"({"argv":["tr","a-z","A-Z"],"input":"loud"})").output,
            "exit code 0\n--- output\nLOUD\n");
}

TEST_F(ProgramToolTest, SaysThatAProgramIsMissing) {
  const auto report = tools_.Call("run_program", R"({"argv":["no-such-program"]})");
  EXPECT_NE(report.output.find("no-such-program"), std::string::npos) << report.output;
}

// Each script tries something that must not work; it prints "BREACH" when it does.
TEST_F(ProgramToolTest, ContainsWhatItRuns) {
  tools_.Put("inputs/kept.txt", "kept");
  std::ofstream(tools_.hub() / "secret.txt") << "a secret of the hub";
  const std::string hub = tools_.hub().string();
  const std::string attempts[] = {
      "cat " + hub + "/secret.txt && echo BREACH",
      "cat ../../../../../secret.txt && echo BREACH",
      "ls " + hub + " && echo BREACH",
      "for there in home root mnt srv var; do ls /$there 2>/dev/null && echo BREACH; done",
      "cat /etc/passwd && echo BREACH",
      "cat /etc/shadow && echo BREACH",
      "cat /etc/hostname && echo BREACH",
      "echo x > inputs/kept.txt && echo BREACH",
      "rm inputs/kept.txt && echo BREACH",
      "mv inputs/kept.txt work/ && echo BREACH",
      "touch /task/new && echo BREACH",
      "touch /usr/new && echo BREACH",
      "touch /etc/new && test -e /etc/new && test -w /usr && echo BREACH",
      "mkdir /new && test -w /usr/bin && echo BREACH",
      "test \"$(ls -d /proc/[0-9]* | wc -l)\" -gt 8 && echo BREACH",
      "kill -9 -1; kill -0 2 && test \"$(ls -d /proc/[0-9]* | wc -l)\" -gt 8 && echo BREACH",
      "cat /proc/1/environ | tr '\\0' '\\n' | grep -v -e ^PATH= -e ^HOME= -e ^TMPDIR= -e ^LANG= -e ^PWD= | "
      "grep . && "
      "echo BREACH",
      "env | grep -v -e ^PATH= -e ^HOME= -e ^TMPDIR= -e ^LANG= -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= | grep "
      ". && "
      "echo BREACH",
      "python3 -c \"import socket; socket.create_connection(('127.0.0.1', 22), 1)\" && echo BREACH",
      "python3 -c \"import socket; socket.create_connection(('1.1.1.1', 53), 1)\" && echo BREACH",
      "python3 -c \"import socket; socket.getaddrinfo('example.org', 80)\" && echo BREACH",
      "python3 -c \"import os; print(len([n for n in os.listdir('/sys/class/net') if n != 'lo']))\" | grep "
      "-v ^0 && "
      "echo BREACH",
      "mount -t tmpfs none /tmp && echo BREACH",
      "chroot / true && echo BREACH",
      "mknod work/zero c 1 5 && head -c 1 work/zero && echo BREACH",
      "test -e /dev/sda -o -e /dev/vda -o -e /dev/kmsg -o -e /dev/mem && echo BREACH",
      "cat /proc/kcore && echo BREACH",
      "echo 1 > /proc/sys/kernel/sysrq && echo BREACH",
      "dmesg && echo BREACH",
      "hostname stolen && echo BREACH",
      "date -s 2020-01-01 && echo BREACH",
      "chown 1000 work && test \"$(stat -c %u work)\" = 1000 && echo BREACH",
      "unshare -m true && mount --bind / /tmp && echo BREACH",
      "ln -s " + hub + "/secret.txt work/link && cat work/link && echo BREACH",
      "ln inputs/kept.txt work/hard && echo x > work/hard && echo BREACH",
      "ls /proc/self/fd | grep -v -e '^[0-3]$' && echo BREACH",
      "python3 -c \"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b'x')\" && echo BREACH",
      "nsenter -t 1 -m ls " + hub + " && echo BREACH",
  };
  for (const std::string& attempt : attempts) {
    const auto report = Shell(attempt + "\n:");
    EXPECT_EQ(report.output.find("BREACH"), std::string::npos) << attempt << "\n" << report.output;
    EXPECT_EQ(report.output.find("a secret of the hub"), std::string::npos) << attempt;
  }
  EXPECT_EQ(tools_.Get("inputs/kept.txt"), "kept");
}

// What an earlier step left in the task's folder leads the file tools nowhere, and the agent goes on.
TEST_F(ProgramToolTest, AnEarlierStepCannotLeadTheFileToolsAway) {
  std::ofstream(tools_.hub() / "secret.txt") << "a secret of the hub";
  const std::string hub = tools_.hub().string();
  const std::pair<std::string, std::string> tricks[] = {
      {"ln -s " + hub + "/secret.txt work/t", "work/t"},
      {"ln -s ../../../../../../secret.txt work/t", "work/t"},
      {"ln -s " + hub + " work/t", "work/t/secret.txt"},
      {"ln -s /proc/self/environ work/t", "work/t"},
      {"ln -s " + (std::filesystem::path("/proc/self") / "root").string() + " work/t", "work/t/etc/passwd"},
      {"ln -s / work/t", "work/t/etc/passwd"},
      {"ln -s t work/t", "work/t"},
      {"mkdir work/t && ln -s ../../inputs work/t/up", "work/t/up/kept.txt"},
      {"echo x > work/a && ln work/a work/t", "work/t"},
      {"mkfifo work/t", "work/t"},
      {"python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('work/t')\"", "work/t"},
      {"rm -rf work/t && mkdir -p work/t", "work/t"},
  };
  tools_.Put("inputs/kept.txt", "kept");
  for (const auto& [script, path] : tricks) {
    (void)Shell("rm -rf work/t work/a; " + script);
    const auto read = tools_.Call("read_file", R"({"path":")" + path + "\"}");
    EXPECT_TRUE(read.error) << script << "\n" << read.output;
    EXPECT_EQ(read.output.find("secret"), std::string::npos) << script;
    (void)tools_.Call("write_file", R"({"path":")" + path + R"(","content":"overwritten"})");
    EXPECT_EQ(tools_.Get("inputs/kept.txt"), "kept") << script;
    EXPECT_FALSE(tools_.Call("list_files", "{}").error) << script;
  }
  std::ifstream stream(tools_.hub() / "secret.txt");
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(stream), {}}), "a secret of the hub");
}

TEST_F(ProgramToolTest, EndsWhatGoesOnForever) {
  const auto slow = Shell("trap '' TERM INT HUP QUIT; echo begun; while :; do sleep 1; done", 1);
  ASSERT_TRUE(slow.error);
  EXPECT_EQ(slow.output, "ended: it took longer than 1s\n--- output\nbegun\n");
  const auto loud = Shell("yes");
  ASSERT_TRUE(loud.error);
  EXPECT_EQ(loud.error->message, "the program was ended: it wrote more than 100000 bytes");
  const auto loud_errors = Shell("yes >&2");
  EXPECT_EQ(loud_errors.error->message, "the program was ended: it wrote more than 100000 bytes");
  const auto bomb = Shell("b() { b | b & }; b; sleep 100", 1);
  ASSERT_TRUE(bomb.error);
  EXPECT_NE(bomb.output.find("Cannot fork"), std::string::npos) << bomb.output;
  // One process is refused the memory; several that stay below the limit each are ended together.
  const auto greedy = Shell("python3 -c 'x = b\"x\" * 2_000_000_000; import time; time.sleep(100)'");
  EXPECT_TRUE(greedy.output.starts_with("exit code 1\n")) << greedy.output;
  EXPECT_NE(greedy.output.find("MemoryError"), std::string::npos) << greedy.output;
  const auto many = Shell(
      "for i in 1 2 3; do python3 -c 'x = b\"x\" * 150_000_000; import time; time.sleep(100)' & done; wait");
  ASSERT_TRUE(many.error) << many.output;
  EXPECT_EQ(many.error->message, "the program was ended: it took more than 286 MiB of memory");
  EXPECT_EQ(Shell("echo still here").output, "exit code 0\n--- output\nstill here\n");
}

TEST_F(ProgramToolTest, LeavesNothingRunning) {
  const auto report = Shell("setsid sh -c 'sleep 3000; echo x' & disown 2>/dev/null; echo started");
  EXPECT_EQ(report.output, "exit code 0\n--- output\nstarted\n");
  // The sandbox's processes die with its first one; a marker in their arguments would show them.
  EXPECT_EQ(std::system("pgrep -f '^sleep 3000$' > /dev/null"), 256);
}

TEST_F(ProgramToolTest, IsStoppedWhenNobodyWaitsForItAnyMore) {
  bool told = false;
  auto running = tools_.registry.Run({AgentId("ann"),
                                      PlanId("plan_a"),
                                      CommandId("cmd_1"),
                                      "run_program",
                                      R"({"argv":["sleep","3001"]})",
                                      "key",
                                      {}},
                                     [&](const ToolOutcomeReport&) { told = true; });
  running.reset();  // returns when the program is dead
  EXPECT_FALSE(told);
  EXPECT_EQ(std::system("pgrep -f '^sleep 3001$' > /dev/null"), 256);
}

TEST(ProgramToolWithoutSandbox, RefusesToRun) {
  ToolFixture tools;
  ProgramToolOptions options;
  options.hub = tools.hub();
  options.post = [](const std::function<void()>&) {};
  tools.registry.Add(MakeProgramTool(std::move(options)));
  const auto report = tools.Call("run_program", R"({"argv":["true"]})");
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->message, "programs cannot be run here: the sandbox is missing");
  EXPECT_EQ(report.error->hint, "install bubblewrap");
}

}  // namespace
}  // namespace agenttalk
