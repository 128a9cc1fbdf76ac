#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

// References in the params of a step: ${step_id.result}, ${command.prompt}, and in an SOP ${parameters.name}.
// They stand in strings, at any depth. "$${" is "${" itself. What comes in through a reference is never
// looked at for references again.
namespace agenttalk {

struct StepReference {
  std::string owner;  // a step's id, "command" or "parameters"
  std::string field;  // "result", "prompt" or the parameter's name

  bool operator==(const StepReference&) const = default;
  [[nodiscard]] std::string Name() const { return owner + "." + field; }
};

// What a reference stands for. A JSON text that is the whole of a string replaces the string by its value.
struct ReferredText {
  std::string text;
  bool is_json = false;
};
// Nothing: the reference stays as it is, for a later time.
using ReferenceLookup = std::function<std::optional<ReferredText>(const StepReference&)>;

// All references of a text, in order; one that is not well formed is an error.
Result<std::vector<StepReference>> ReferencesIn(std::string_view text);
// The same of every string in a value.
Result<std::vector<StepReference>> ReferencesIn(const boost::json::value& value);

// Puts values in the place of references. The text must be well formed. With `escape`, what comes in is
// written so that a second pass takes it for text, and "$${" stays as it is.
std::string Substitute(std::string_view text, const ReferenceLookup& lookup, bool escape = false);
void Substitute(boost::json::value& value, const ReferenceLookup& lookup, bool escape = false);

}  // namespace agenttalk
