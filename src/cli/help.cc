#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/console.h"
#include "cli/verb.h"

namespace agenttalk {
namespace {

// In columns: the one character we use outside ASCII is "…", three bytes wide.
std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string ValueName(const Parameter& parameter) {
  if (parameter.choices.empty()) return parameter.value;
  return fmt::format("{}", fmt::join(parameter.choices, "|"));
}

std::string Spelled(const Parameter& parameter) {
  switch (parameter.takes) {
    case Takes::kFlag:
      return parameter.name;
    case Takes::kOne:
    case Takes::kOptional:
      return parameter.value.empty() ? parameter.name : parameter.value;
    case Takes::kValue:
    case Takes::kValues:
      return fmt::format("{} {}", parameter.name, ValueName(parameter));
    case Takes::kMaybeValue:
      return fmt::format("{} [{}]", parameter.name, ValueName(parameter));
    case Takes::kMany:
    case Takes::kAny:
      return parameter.name + "…";
  }
  return parameter.name;
}

std::string InUsage(const Parameter& parameter) {
  const std::string spelled = Spelled(parameter);
  if (parameter.takes == Takes::kOne || parameter.takes == Takes::kMany) return spelled;
  return fmt::format("[{}]{}", spelled, parameter.takes == Takes::kValues ? "…" : "");
}

std::string Table(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, Width(left));
  std::string text;
  for (const auto& [left, right] : rows) {
    text += fmt::format("  {}{}  {}\n", left, std::string(width - Width(left), ' '), right);
  }
  return text;
}

std::string ExampleText(const Verb& verb, bool colors) {
  std::string text = Styled("Example:", Style::kBold, colors) + "\n";
  std::string_view rest = verb.example;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += fmt::format("  $ {}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

}  // namespace

std::string UsageLine(const Verb& verb) {
  std::string line = "agenttalk " + verb.name;
  for (const bool rare : {false, true}) {
    for (const Parameter& parameter : verb.parameters) {
      if (parameter.rare == rare) line += " " + InUsage(parameter);
    }
  }
  return line;
}

std::string HelpText(const Verb& verb, bool colors) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const bool rare : {false, true}) {
    for (const Parameter& parameter : verb.parameters) {
      if (parameter.rare == rare) rows.emplace_back(Spelled(parameter), parameter.help);
    }
  }
  for (const Parameter& parameter : CommonParameters()) rows.emplace_back(Spelled(parameter), parameter.help);
  return fmt::format("{}\n\n{}\n\n{}\n{}", Styled(UsageLine(verb), Style::kBold, colors), verb.summary,
                     Table(rows), ExampleText(verb, colors));
}

std::string HelpText(std::span<const Verb> verbs, bool colors) {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.reserve(verbs.size());
  for (const Verb& verb : verbs) rows.emplace_back(verb.name, verb.summary);
  return fmt::format(
      "agenttalk {}: a durable runtime for teams of LLM agents that talk through files.\n\n"
      "{}\n  agenttalk VERB … [--hub DIR] [--json]\n\n{}\n{}\n"
      "`agenttalk VERB --help` shows the options of a verb and an example.\n"
      "Exit codes: 0 done, 1 the work failed, 2 bad usage or invalid input, 3 waiting for a person,\n"
      "4 the environment: no hub, provider, disk space or permission.\n",
      AGENTTALK_VERSION, Styled("Usage:", Style::kBold, colors), Styled("Verbs:", Style::kBold, colors),
      Table(rows));
}

}  // namespace agenttalk
