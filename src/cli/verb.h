#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/exit_code.h"

// A verb is a row of a table: what it is called, what it takes, what it does. Parsing, help and shell
// completion are made from the table, so that they cannot disagree.
namespace agenttalk {

enum class Takes {
  kFlag,        // --strict
  kValue,       // --hub DIR
  kValues,      // --set k=v, as often as one likes
  kMaybeValue,  // --http [ADDR:PORT]: an empty value when none is given
  kOne,         // FILE
  kOptional,    // [DIR]
  kMany,        // FILE…
  kAny,         // [PLAN…]
};

enum class Completes { kNothing, kFile, kDirectory };

struct Parameter {
  std::string name;  // "--strict"; "FILE" when it is told by its place
  Takes takes = Takes::kFlag;
  std::string help;
  std::string value = {};                 // in help: an option's value ("DIR"), or what a place may hold
  std::vector<std::string> choices = {};  // when only these are possible
  Completes completes = Completes::kNothing;
  bool rare = false;  // in help it comes after what most people need

  [[nodiscard]] bool is_option() const { return name.starts_with('-'); }
};

// One call of a verb.
struct Invocation {
  const Arguments& arguments;
  Console& console;
  bool json = false;

  // The hub this call is about: --hub, AGENTTALK_HUB, or the nearest parent; HUB_MISSING when there is none.
  [[nodiscard]] Result<std::filesystem::path> Hub() const;
  // For verbs that also work without a hub: none is found when nobody named one and no parent is one.
  [[nodiscard]] Result<std::optional<std::filesystem::path>> HubIfAny() const;
};

struct Verb {
  std::string name;  // "validate", or two words: "command new"
  std::string summary;
  std::string example;  // without the prompt; several lines are several commands
  std::vector<Parameter> parameters;
  std::function<Result<ExitCode>(const Invocation&)> run;
};

// A row of the table of verbs. A call needs one verb of fifty: only that one is made, all of them for help.
struct VerbRow {
  std::string_view name;  // that of the verb
  Verb (*make)() = nullptr;
};

// What every verb takes besides its own.
const std::vector<Parameter>& CommonParameters();

}  // namespace agenttalk
