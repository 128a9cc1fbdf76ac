#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/verb.h"

namespace agenttalk {
namespace {

// A stream that can be read back.
class Tape {
 public:
  Tape() : stream_(open_memstream(&text_, &size_)) {}
  ~Tape() {
    std::fclose(stream_);
    std::free(text_);
  }
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  [[nodiscard]] std::FILE* stream() const { return stream_; }
  std::string Text() {
    std::fflush(stream_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

// Shows what it was given.
Result<ExitCode> Echo(const Invocation& call) {
  std::string text;
  for (const std::string& file : call.arguments.All("FILE")) text += file + ";";
  for (const std::string& set : call.arguments.All("--set")) text += set + ";";
  if (call.arguments.Has("--strict")) text += "strict;";
  if (call.json) text += "json;";
  call.console.Out(text + call.arguments.Get("--hub"));
  return ExitCode::kDone;
}

Result<ExitCode> FailToFindAPlan(const Invocation&) {
  return Fail(ErrorCode::kPlanUnknown, "no plan p", "agenttalk plans");
}

Verb EchoVerb() {
  return {.name = "echo",
          .summary = "Says it again.",
          .example = "agenttalk echo a b",
          .parameters = {{.name = "FILE", .takes = Takes::kMany, .help = "what"},
                         {.name = "--set", .takes = Takes::kValues, .help = "more", .value = "k=v"},
                         {.name = "--strict", .help = "hard"}},
          .run = Echo};
}

Verb PlanFailVerb() {
  return {.name = "plan fail",
          .summary = "Fails.",
          .example = "agenttalk plan fail",
          .parameters = {},
          .run = FailToFindAPlan};
}

constexpr std::array kVerbs = {VerbRow{"echo", &EchoVerb}, VerbRow{"plan fail", &PlanFailVerb}};

Outcome Type(const std::vector<std::string>& words) {
  Tape out;
  Tape err;
  Console console(out.stream(), err.stream());
  const ExitCode code = RunCommandLine(words, kVerbs, console);
  return {code, out.Text(), err.Text()};
}

TEST(CommandLine, GivesAVerbItsArgumentsInAnyOrder) {
  const Outcome outcome = Type({"echo", "a", "--set", "x=1", "b", "--strict", "--set=y=2", "-"});
  EXPECT_EQ(outcome.code, ExitCode::kDone) << outcome.err;
  EXPECT_EQ(outcome.out, "a;b;-;x=1;y=2;strict;");
}

TEST(CommandLine, TakesCommonOptionsBeforeAndBehindTheVerb) {
  EXPECT_EQ(Type({"--hub", "here", "--json", "echo", "a"}).out, "a;json;here");
  EXPECT_EQ(Type({"echo", "a", "--json", "--hub=here"}).out, "a;json;here");
}

TEST(CommandLine, TakesEverythingBehindTwoDashesAsAnArgument) {
  EXPECT_EQ(Type({"echo", "--", "--help", "--strict"}).out, "--help;--strict;");
}

TEST(CommandLine, SuggestsWhatWasMeant) {
  const Outcome outcome = Type({"ehco", "a"});
  EXPECT_EQ(outcome.code, ExitCode::kInvalid);
  EXPECT_EQ(outcome.err, "agenttalk: there is no verb 'ehco'\nhint: did you mean: echo?\n");
}

TEST(CommandLine, NamesTheSecondWordsOfAGroup) {
  const Outcome outcome = Type({"plan", "p1"});
  EXPECT_EQ(outcome.code, ExitCode::kInvalid);
  EXPECT_EQ(outcome.err, "agenttalk: there is no verb 'plan p1'\nhint: one of: plan fail\n");
}

TEST(CommandLine, ReportsAnErrorForPeopleOnTheErrorStream) {
  const Outcome outcome = Type({"plan", "fail"});
  EXPECT_EQ(outcome.code, ExitCode::kInvalid);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "agenttalk: no plan p (PLAN_UNKNOWN)\nhint: agenttalk plans\n");
}

TEST(CommandLine, ReportsAnErrorForProgramsOnStandardOutput) {
  const Outcome outcome = Type({"plan", "fail", "--json"});
  EXPECT_EQ(
      outcome.out,
      "{\"error\":{\"code\":\"PLAN_UNKNOWN\",\"message\":\"no plan p\",\"hint\":\"agenttalk plans\"}}\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandLine, RefusesWhatTheVerbDoesNotTake) {
  EXPECT_EQ(Type({"echo", "a", "--nope"}).code, ExitCode::kInvalid);
  EXPECT_EQ(Type({"echo"}).code, ExitCode::kInvalid);
  EXPECT_EQ(Type({"plan", "fail", "extra"}).code, ExitCode::kInvalid);
  EXPECT_EQ(Type({"echo", "a", "--hub"}).code, ExitCode::kInvalid);
  EXPECT_EQ(Type({}).code, ExitCode::kInvalid);
}

TEST(CommandLine, ShowsHelpWithAnExampleForEveryVerb) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"echo", "--help"}, {"help", "echo"}, {"echo", "-h"}}) {
    const Outcome outcome = Type(words);
    EXPECT_EQ(outcome.code, ExitCode::kDone);
    EXPECT_TRUE(outcome.out.starts_with("agenttalk echo FILE… [--set k=v]… [--strict]\n")) << outcome.out;
    EXPECT_NE(outcome.out.find("Example:\n  $ agenttalk echo a b\n"), std::string::npos) << outcome.out;
  }
  EXPECT_NE(Type({"plan", "--help"}).out.find("plan fail  Fails."), std::string::npos);
  EXPECT_NE(Type({"--help"}).out.find("completion  Prints"), std::string::npos);
}

TEST(CommandLine, SaysSoWhenTheOutputCannotBeWritten) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  Tape err;
  Console console(full, err.stream());
  EXPECT_EQ(RunCommandLine({"echo", "a"}, kVerbs, console), ExitCode::kEnvironment);
  std::fclose(full);
}

TEST(ExitCode, TellsEnvironmentFailedWorkAndInvalidInputApart) {
  EXPECT_EQ(ExitCodeOf(ErrorCode::kProviderMissing), ExitCode::kEnvironment);
  EXPECT_EQ(ExitCodeOf(ErrorCode::kModelFailed), ExitCode::kWorkFailed);
  EXPECT_EQ(ExitCodeOf(ErrorCode::kJsonInvalid), ExitCode::kInvalid);
}

}  // namespace
}  // namespace agenttalk
