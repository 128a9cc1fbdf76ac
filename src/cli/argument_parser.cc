#include "cli/argument_parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>  // slow to compile: this is the only file that includes it
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "cli/arguments.h"
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
    case Takes::kFlag:
      break;
  }
  if (!parameter.choices.empty()) option->check(CLI::IsMember(parameter.choices));
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
    return Fail(ErrorCode::kUsage, fmt::format("{}: {}", verb.name, error.what()),
                fmt::format("agenttalk {} --help", verb.name));
  }
  for (auto& [name, given] : values) {
    for (std::string& value : given) arguments.Add(name, std::move(value));
  }
  return arguments;
}

}  // namespace agenttalk
