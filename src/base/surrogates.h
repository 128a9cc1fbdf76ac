#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

// JSON writes a character beyond U+FFFF as two escapes, a pair of surrogates. Servers cut texts between the
// two, and models write one half without the other; a strict reader refuses both.
namespace agenttalk {

// As ParseJson, but a half of a pair is taken, and kept so that JoinHalves can join it with the other half,
// which may come with another piece of the text.
Result<boost::json::value> ParsePieceJson(std::string_view text, const JsonLimits& limits = {});

// Makes one character of two halves that stand side by side, and U+FFFD of a half that is alone.
std::string JoinHalves(std::string text);

// As ParseJson; a half of a pair reads as U+FFFD.
Result<boost::json::value> ParseModelJson(std::string_view text, const JsonLimits& limits = {});

// A JSON text in which every half of a pair is replaced by the escape of U+FFFD.
std::string WithoutHalves(std::string_view json);

}  // namespace agenttalk
