#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <map>
#include <string_view>

// The keywords of JSON Schema, and what each holds.
namespace agenttalk {

// What a keyword's value must be.
enum class KeywordValue : std::uint8_t {
  kSchema,
  kSchemas,         // a list of them
  kSchemaOrList,    // `items` of draft 7 and older
  kNamedSchemas,    // by name
  kSchemaOrNames,   // `dependencies`: by name a schema or a list of names
  kPatternSchemas,  // by pattern
  kNames,
  kNamesByName,
  kType,
  kNumber,
  kPositive,
  kCount,
  kFlag,
  kList,
  kText,
  kPattern,
  kAnything,
  kUnchecked,  // known, and not checked here
};

const std::map<std::string_view, KeywordValue>& SchemaKeywords();

// What a plain value must be that is not what its keyword holds, e.g. "a number"; null: it is right.
const char* WantedInstead(KeywordValue holds, const boost::json::value& value);

// A list of strings and nothing else.
bool AreStrings(const boost::json::value& value);

}  // namespace agenttalk
