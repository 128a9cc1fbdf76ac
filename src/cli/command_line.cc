#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <expected>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "cli/argument_parser.h"
#include "cli/arguments.h"
#include "cli/completion.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/verb.h"
#include "cli/verb_suggestion.h"

namespace agenttalk {
namespace {

using Words = std::vector<std::string>;

// A call, taken apart: the verb's words (one or two), and everything else.
struct Call {
  const Verb* verb = nullptr;
  Words rest;
};

bool Contains(std::span<const std::string> words, std::string_view word) {
  const auto end = std::ranges::find(words, "--");  // behind it everything is an argument
  return std::find(words.begin(), end, word) != end;
}

bool AsksForHelp(std::span<const std::string> words) {
  return Contains(words, "--help") || Contains(words, "-h");
}

// Common options may stand before the verb too; this is where the verb starts.
std::size_t VerbPosition(std::span<const std::string> words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with('-')) at += words[at] == "--hub" ? 2u : 1u;
  return std::min(at, words.size());
}

const Verb* FindVerb(std::span<const Verb> verbs, std::string_view name) {
  const auto found = std::ranges::find(verbs, name, &Verb::name);
  return found == verbs.end() ? nullptr : &*found;
}

// The verbs that start with `group` and a space: "plan" has "plan show", "plan append", …
std::vector<Verb> GroupOf(std::span<const Verb> verbs, std::string_view group) {
  std::vector<Verb> members;
  std::ranges::copy_if(verbs, std::back_inserter(members),
                       [&](const Verb& verb) { return verb.name.starts_with(fmt::format("{} ", group)); });
  return members;
}

std::unexpected<Error> UnknownVerb(std::span<const Verb> verbs, const std::string& word) {
  Words names;
  for (const Verb& verb : verbs) {
    names.push_back(verb.name);
    const std::string first = verb.name.substr(0, verb.name.find(' '));
    if (first != verb.name && std::ranges::find(names, first) == names.end()) names.push_back(first);
  }
  const Words near = Suggestions(word, names);
  return Fail(ErrorCode::kUsage, fmt::format("there is no verb '{}'", word),
              near.empty() ? "agenttalk --help lists the verbs"
                           : fmt::format("did you mean: {}?", fmt::join(near, ", ")));
}

Result<Call> TakeApart(std::span<const Verb> verbs, const Words& words) {
  const std::size_t at = VerbPosition(words);
  if (at == words.size()) {
    const auto known = [](const std::string& word) {
      return std::ranges::find(CommonParameters(), word, &Parameter::name) != CommonParameters().end();
    };
    const bool unknown = !words.empty() && words.front().starts_with('-') && !known(words.front());
    return Fail(ErrorCode::kUsage,
                unknown ? fmt::format("there is no option {}", words.front()) : "no verb given",
                "agenttalk --help lists the verbs and options");
  }
  Call call{.verb = FindVerb(verbs, words[at]), .rest = {}};
  std::size_t after = at + 1;
  if (call.verb == nullptr && after < words.size()) {
    call.verb = FindVerb(verbs, fmt::format("{} {}", words[at], words[after]));
    if (call.verb != nullptr) ++after;
  }
  if (call.verb == nullptr) {
    const auto group = GroupOf(verbs, words[at]);
    if (group.empty()) return UnknownVerb(verbs, words[at]);
    Words names;
    for (const Verb& verb : group) names.push_back(verb.name);
    const bool more = at + 1 < words.size() && !words[at + 1].starts_with('-');
    return Fail(ErrorCode::kUsage,
                more ? fmt::format("there is no verb '{} {}'", words[at], words[at + 1])
                     : fmt::format("'{}' needs one more word", words[at]),
                fmt::format("one of: {}", fmt::join(names, ", ")));
  }
  call.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(after), words.end());
  call.rest.insert(call.rest.begin(), words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  return call;
}

// `agenttalk`, `agenttalk --help`, `agenttalk help [VERB]`, `agenttalk GROUP --help`, `agenttalk VERB
// --help`.
std::optional<std::string> HelpAskedFor(std::span<const Verb> verbs, Words words, bool colors) {
  const std::size_t at = VerbPosition(words);
  const bool help_verb = at < words.size() && words[at] == "help";
  if (help_verb) words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  if (!help_verb && !AsksForHelp(words)) return std::nullopt;
  if (VerbPosition(words) == words.size()) return HelpText(verbs, colors);
  if (const auto call = TakeApart(verbs, words)) return HelpText(*call->verb, colors);
  const auto group = GroupOf(verbs, words[VerbPosition(words)]);
  if (!group.empty()) return HelpText(group, colors);
  return std::nullopt;
}

Verb ManVerb(const std::vector<Verb>& verbs) {
  return {.name = "man",
          .summary = "Prints the manual page.",
          .example = "agenttalk man | man -l -",
          .parameters = {},
          .run = [&verbs](const Invocation& call) -> Result<ExitCode> {
            call.console.Out(ManPage(verbs));
            return ExitCode::kDone;
          }};
}

// `verbs` is the table that this row becomes part of.
Verb CompletionVerb(const std::vector<Verb>& verbs) {
  return {.name = "completion",
          .summary = "Prints a shell completion script.",
          .example = "source <(agenttalk completion bash)",
          .parameters = {{.name = "SHELL",
                          .takes = Takes::kOne,
                          .help = "bash, zsh or fish",
                          .choices = {"bash", "zsh", "fish"}}},
          .run = [&verbs](const Invocation& call) -> Result<ExitCode> {
            call.console.Out(CompletionScript(verbs, TRY(ShellNamed(call.arguments.Get("SHELL")))));
            return ExitCode::kDone;
          }};
}

void Report(const Error& error, bool json, Console& console) {
  if (json) {
    const boost::json::object object{
        {"error", boost::json::object{
                      {"code", ToString(error.code)}, {"message", error.message}, {"hint", error.hint}}}};
    console.Out(CompactJson(object) + "\n");
    return;
  }
  const std::string code = error.code == ErrorCode::kUsage ? "" : fmt::format(" ({})", ToString(error.code));
  console.Err(
      fmt::format("{} {}{}\n", Styled("agenttalk:", Style::kRed, console.colors_err()), error.message, code));
  if (!error.hint.empty()) {
    console.Err(fmt::format("{} {}\n", Styled("hint:", Style::kBold, console.colors_err()), error.hint));
  }
}

Result<ExitCode> Dispatch(const Words& words, std::span<const Verb> table, Console& console) {
  std::vector<Verb> verbs(table.begin(), table.end());
  verbs.push_back(CompletionVerb(verbs));
  verbs.push_back(ManVerb(verbs));
  if (Contains({words.data(), VerbPosition(words)}, "--version")) {
    console.Out("agenttalk " AGENTTALK_VERSION "\n");
    return ExitCode::kDone;
  }
  if (const auto help = HelpAskedFor(verbs, words, console.colors_out())) {
    console.Out(*help);
    return ExitCode::kDone;
  }
  const Call call = TRY(TakeApart(verbs, words));
  const Arguments arguments = TRY(ParseArguments(*call.verb, call.rest));
  return call.verb->run({.arguments = arguments, .console = console, .json = arguments.Has("--json")});
}

}  // namespace

ExitCode RunCommandLine(const Words& words, std::span<const Verb> verbs, Console& console) {
  const auto outcome = Dispatch(words, verbs, console);
  if (!outcome) Report(outcome.error(), Contains(words, "--json"), console);
  if (!console.Flush()) {
    console.Err("agenttalk: the output could not be written\n");
    return ExitCode::kEnvironment;
  }
  return outcome ? *outcome : ExitCodeOf(outcome.error().code);
}

}  // namespace agenttalk
