#pragma once

#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>

// What was probably meant by a value of the wrong type: `"1"` for 1, `"true"` for true, `"a.md"` for
// ["a.md"]. Each function returns a value that its field accepts, the given one if it is right already, or
// nothing when no conversion is plausible. Used where parameters come from a model or a command line, never
// where a file is read.
namespace agenttalk {

using LooseValue = std::optional<boost::json::value>;

LooseValue LooseText(const boost::json::value& value);      // not blank; numbers and booleans become text
LooseValue LooseTrimmed(const boost::json::value& value);   // the same, without blanks around it
LooseValue LooseTemplate(const boost::json::value& value);  // any text, also an empty one
LooseValue LooseSafeName(const boost::json::value& value);
LooseValue LooseOutputName(const boost::json::value& value);
LooseValue LooseKey(const boost::json::value& value);   // an idempotency key
LooseValue LooseFlag(const boost::json::value& value);  // also "true", "yes", "1", 0 …
LooseValue LooseIntegerIn(const boost::json::value& value, std::int64_t min, std::int64_t max);
LooseValue LooseSeconds(const boost::json::value& value);  // a timeout; also "90", "10m"
LooseValue LooseVersion(const boost::json::value& value);  // also 1 and 1.0
LooseValue LooseTexts(const boost::json::value& value);    // a scalar becomes a list of one
LooseValue LooseInputs(const boost::json::value& value);   // texts and {pattern, min}
LooseValue LooseHook(const boost::json::value& value);     // an object; a text is its message_template
LooseValue LooseRoutes(const boost::json::value& value);   // send_to_condition
LooseValue LooseDagRef(const boost::json::value& value);   // an object; a text is its sha256
LooseValue LooseHash(const boost::json::value& value);

// A number, or a text that says one: "88", "88.5", "88%", "88/100". Of a model's score, for one.
std::optional<double> ReadLooseNumber(const boost::json::value& value);

template <std::int64_t kMin, std::int64_t kMax>
LooseValue LooseInteger(const boost::json::value& value) {
  return LooseIntegerIn(value, kMin, kMax);
}

}  // namespace agenttalk
