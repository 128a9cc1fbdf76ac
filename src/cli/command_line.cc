#include "cli/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
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

// A call, taken apart: the verb (of one word or two), and everything else.
struct Call {
  Verb verb;
  Words arguments;
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

Verb ManVerb(std::span<const VerbRow> rows);
Verb CompletionVerb(std::span<const VerbRow> rows);

Verb Make(const VerbRow& row) {
  Verb verb = row.make();
  CHECK(verb.name == row.name);
  return verb;
}

// All verbs, with those that are made from the table itself.
std::vector<Verb> AllVerbs(std::span<const VerbRow> rows) {
  std::vector<Verb> verbs;
  verbs.reserve(rows.size() + 2);
  for (const VerbRow& row : rows) verbs.push_back(Make(row));
  verbs.push_back(CompletionVerb(rows));
  verbs.push_back(ManVerb(rows));
  return verbs;
}

std::optional<Verb> FindVerb(std::span<const VerbRow> rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &VerbRow::name);
  if (found != rows.end()) return Make(*found);
  if (name == "completion") return CompletionVerb(rows);
  if (name == "man") return ManVerb(rows);
  return std::nullopt;
}

// The verbs that start with `group` and a space: "plan" has "plan show", "plan append", …
std::vector<Verb> GroupOf(std::span<const VerbRow> rows, std::string_view group) {
  const std::string start = fmt::format("{} ", group);
  std::vector<Verb> members;
  for (const VerbRow& row : rows) {
    if (row.name.starts_with(start)) members.push_back(Make(row));
  }
  return members;
}

std::unexpected<Error> UnknownVerb(std::span<const VerbRow> rows, const std::string& word) {
  Words names;
  for (const Verb& verb : AllVerbs(rows)) {
    names.push_back(verb.name);
    const std::string first = verb.name.substr(0, verb.name.find(' '));
    if (first != verb.name && std::ranges::find(names, first) == names.end()) names.push_back(first);
  }
  const Words near = Suggestions(word, names);
  return Fail(ErrorCode::kUsage, fmt::format("there is no verb '{}'", word),
              near.empty() ? "agenttalk --help lists the verbs"
                           : fmt::format("did you mean: {}?", fmt::join(near, ", ")));
}

Result<Call> TakeApart(std::span<const VerbRow> rows, const Words& words) {
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
  std::optional<Verb> verb = FindVerb(rows, words[at]);
  std::size_t after = at + 1;
  if (!verb && after < words.size()) {
    verb = FindVerb(rows, fmt::format("{} {}", words[at], words[after]));
    if (verb) ++after;
  }
  if (!verb) {
    const auto group = GroupOf(rows, words[at]);
    if (group.empty()) return UnknownVerb(rows, words[at]);
    Words names;
    for (const Verb& member : group) names.push_back(member.name);
    const bool more = at + 1 < words.size() && !words[at + 1].starts_with('-');
    return Fail(ErrorCode::kUsage,
                more ? fmt::format("there is no verb '{} {}'", words[at], words[at + 1])
                     : fmt::format("'{}' needs one more word", words[at]),
                fmt::format("one of: {}", fmt::join(names, ", ")));
  }
  Call call{.verb = std::move(*verb),
            .arguments = {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at)}};
  call.arguments.insert(call.arguments.end(), words.begin() + static_cast<std::ptrdiff_t>(after),
                        words.end());
  return call;
}

// `agenttalk`, `agenttalk --help`, `agenttalk help [VERB]`, `agenttalk GROUP --help`, `agenttalk VERB
// --help`.
std::optional<std::string> HelpAskedFor(std::span<const VerbRow> rows, Words words, bool colors) {
  const std::size_t at = VerbPosition(words);
  const bool help_verb = at < words.size() && words[at] == "help";
  if (help_verb) words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  if (!help_verb && !AsksForHelp(words)) return std::nullopt;
  if (VerbPosition(words) == words.size()) return HelpText(AllVerbs(rows), colors);
  if (const auto call = TakeApart(rows, words)) return HelpText(call->verb, colors);
  const auto group = GroupOf(rows, words[VerbPosition(words)]);
  if (!group.empty()) return HelpText(group, colors);
  return std::nullopt;
}

Verb ManVerb(std::span<const VerbRow> rows) {
  return {.name = "man",
          .summary = "Prints the manual page.",
          .example = "agenttalk man | man -l -",
          .parameters = {},
          .run = [rows](const Invocation& call) -> Result<ExitCode> {
            call.console.Out(ManPage(AllVerbs(rows)));
            return ExitCode::kDone;
          }};
}

Verb CompletionVerb(std::span<const VerbRow> rows) {
  return {.name = "completion",
          .summary = "Prints a shell completion script.",
          .example = "source <(agenttalk completion bash)",
          .parameters = {{.name = "SHELL",
                          .takes = Takes::kOne,
                          .help = "bash, zsh or fish",
                          .choices = {"bash", "zsh", "fish"}}},
          .run = [rows](const Invocation& call) -> Result<ExitCode> {
            call.console.Out(CompletionScript(AllVerbs(rows), TRY(ShellNamed(call.arguments.Get("SHELL")))));
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

Result<ExitCode> Dispatch(const Words& words, std::span<const VerbRow> rows, Console& console) {
  if (Contains({words.data(), VerbPosition(words)}, "--version")) {
    console.Out("agenttalk " AGENTTALK_VERSION "\n");
    return ExitCode::kDone;
  }
  if (const auto help = HelpAskedFor(rows, words, console.colors_out())) {
    console.Out(*help);
    return ExitCode::kDone;
  }
  const Call call = TRY(TakeApart(rows, words));
  const Arguments arguments = TRY(ParseArguments(call.verb, call.arguments));
  return call.verb.run({.arguments = arguments, .console = console, .json = arguments.Has("--json")});
}

}  // namespace

ExitCode RunCommandLine(const Words& words, std::span<const VerbRow> rows, Console& console) {
  const auto outcome = Dispatch(words, rows, console);
  if (!outcome) Report(outcome.error(), Contains(words, "--json"), console);
  if (!console.Flush()) {
    console.Err("agenttalk: the output could not be written\n");
    return ExitCode::kEnvironment;
  }
  return outcome ? *outcome : ExitCodeOf(outcome.error().code);
}

}  // namespace agenttalk
