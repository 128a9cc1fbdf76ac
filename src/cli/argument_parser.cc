#include "cli/argument_parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>  // slow to compile: this is the only file that includes it
#include <algorithm>
#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/suggestion.h"
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/verb.h"

namespace agenttalk {
namespace {

// CLI11 writes through references; the map keeps them in one place until the parse is over.
using Values = std::map<std::string, std::vector<std::string>>;

void AddParameter(CLI::App& app, const Parameter& parameter, Values& values) {
  if (parameter.takes == Takes::kFlag) {
    app.add_flag_callback(parameter.name, [&values, &parameter] { values[parameter.name] = {"true"}; });
    return;
  }
  CLI::Option* option = app.add_option(parameter.name, values[parameter.name]);
  option->allow_extra_args(false);
  switch (parameter.takes) {
    case Takes::kValue:
      option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
      break;
    case Takes::kValues:
      option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      break;
    case Takes::kMaybeValue:
      option->expected(0, 1)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
      break;
    case Takes::kOne:
      option->expected(1)->required();
      break;
    case Takes::kOptional:
      option->expected(1);
      break;
    case Takes::kMany:
      option->expected(-1)->allow_extra_args(true)->required();
      break;
    case Takes::kAny:
      option->expected(-1)->allow_extra_args(true);
      break;
    case Takes::kFlag:
      break;
  }
  if (!parameter.choices.empty()) option->check(CLI::IsMember(parameter.choices));
}

const Parameter* FindOption(const Verb& verb, std::string_view name) {
  for (const auto* parameters : {&verb.parameters, &CommonParameters()}) {
    const auto found = std::ranges::find(*parameters, name, &Parameter::name);
    if (found != parameters->end() && found->is_option()) return &*found;
  }
  return nullptr;
}

std::string HelpHint(const Verb& verb) {
  return fmt::format("see `agenttalk {} --help`", verb.name);
}

// An option that this verb does not have; words that are the value of an option are passed over.
std::optional<std::string> UnknownOption(const Verb& verb, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (!words[i].starts_with('-') || words[i].size() < 2) continue;
    const std::string name = words[i].substr(0, words[i].find('='));
    const Parameter* option = FindOption(verb, name);
    if (option == nullptr) return name;
    const bool value_follows = option->takes != Takes::kFlag && name == words[i];
    if (value_follows) ++i;
  }
  return std::nullopt;
}

std::unexpected<Error> NoOption(const Verb& verb, const std::string& name) {
  std::vector<std::string_view> names;
  for (const auto* parameters : {&verb.parameters, &CommonParameters()}) {
    for (const Parameter& parameter : *parameters) {
      if (parameter.is_option()) names.push_back(parameter.name);
    }
  }
  const std::string_view near = NearestName(name, names);
  return Fail(ErrorCode::kUsage, fmt::format("{} has no option {}", verb.name, name),
              near.empty() ? HelpHint(verb) : fmt::format("did you mean {}?", near));
}

// A word too many is mostly the value of an option whose name was left out.
std::unexpected<Error> TooManyWords(const Verb& verb, const std::vector<std::string>& extra,
                                    const std::vector<std::string>& words) {
  const std::string word = extra.empty() ? std::string() : extra.front();
  const bool takes_task =
      FindOption(verb, "--task") != nullptr && std::ranges::find(words, "--task") == words.end();
  if (takes_task) {
    return Fail(ErrorCode::kUsage, fmt::format("{}: unexpected argument '{}'", verb.name, word),
                fmt::format("did you mean --task {}?", word));
  }
  if (FindOption(verb, "--" + word) != nullptr) {
    return Fail(ErrorCode::kUsage, fmt::format("{}: unexpected argument '{}'", verb.name, word),
                fmt::format("did you mean --{}?", word));
  }
  return Fail(ErrorCode::kUsage, fmt::format("{}: unexpected argument '{}'", verb.name, word),
              "put text that has spaces in quotes; " + HelpHint(verb));
}

std::unexpected<Error> Missing(const Verb& verb, const std::vector<std::string>& given) {
  std::size_t places = 0;
  for (const Parameter& parameter : verb.parameters) {
    const bool needed = parameter.takes == Takes::kOne || parameter.takes == Takes::kMany;
    if (!needed || ++places <= given.size()) continue;
    const char* where = parameter.name.starts_with("PLAN") ? "; `agenttalk plans` lists the plans" : "";
    return Fail(ErrorCode::kUsage,
                fmt::format("{}: {} is missing ({})", verb.name, parameter.name, parameter.help),
                "usage: " + UsageLine(verb) + where);
  }
  return Fail(ErrorCode::kUsage, fmt::format("{}: an argument is missing", verb.name),
              "usage: " + UsageLine(verb));
}

// The words that stand by their place.
std::vector<std::string> PlacedWords(const Verb& verb, const std::vector<std::string>& words) {
  std::vector<std::string> placed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-') || words[i].size() < 2) {
      placed.push_back(words[i]);
      continue;
    }
    const Parameter* option = FindOption(verb, words[i]);
    if (option != nullptr && option->takes != Takes::kFlag) ++i;
  }
  return placed;
}

// CLI11 says what is wrong in its own words; people get ours.
std::unexpected<Error> Explain(const Verb& verb, const std::vector<std::string>& words,
                               const CLI::ParseError& error, const std::vector<std::string>& extra) {
  if (const auto option = UnknownOption(verb, words)) return NoOption(verb, *option);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return TooManyWords(verb, extra, words);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return Missing(verb, PlacedWords(verb, words));
  }
  const std::string last = words.empty() ? std::string() : words.back();
  const Parameter* option = FindOption(verb, last);
  const bool wants_value = option != nullptr && option->takes != Takes::kFlag;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && wants_value) {
    return Fail(ErrorCode::kUsage, fmt::format("{}: {} needs a value", verb.name, last),
                fmt::format("{} {}: {}", last, option->value, option->help));
  }
  for (const auto& parameter : verb.parameters) {
    const bool named = std::string_view(error.what()).starts_with(parameter.name);
    if (parameter.choices.empty() || !named) continue;
    return Fail(ErrorCode::kUsage,
                fmt::format("{}: {} must be one of {}", verb.name, parameter.name,
                            fmt::join(parameter.choices, ", ")),
                HelpHint(verb));
  }
  return Fail(ErrorCode::kUsage, fmt::format("{}: {}", verb.name, error.what()), HelpHint(verb));
}

}  // namespace

Result<Arguments> ParseArguments(const Verb& verb, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();  // help is made from the table, not by CLI11
  Values values;
  Arguments arguments;
  for (const auto* parameters : {&verb.parameters, &CommonParameters()}) {
    for (const Parameter& parameter : *parameters) {
      arguments.Declare(parameter.name);
      AddParameter(app, parameter, values);
    }
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them last first
  } catch (const CLI::ParseError& error) {
    return Explain(verb, words, error, app.remaining());
  }
  for (auto& [name, given] : values) {
    for (std::string& value : given) arguments.Add(name, std::move(value));
  }
  return arguments;
}

}  // namespace agenttalk
