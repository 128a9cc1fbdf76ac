#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>

namespace agenttalk {

// The value of a YAML scalar. `tag` is yaml-cpp's: "?" for a plain scalar, "!" for a quoted one, else the
// tag's URI. Nothing, when the text does not fit the tag or the tag is not one of the core schema.
std::optional<boost::json::value> YamlScalarValue(const std::string& tag, const std::string& text);

}  // namespace agenttalk
