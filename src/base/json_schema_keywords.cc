#include "base/json_schema_keywords.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <map>
#include <string_view>

#include "base/json.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

constexpr std::array kTypes = {"null"sv,   "boolean"sv, "object"sv, "array"sv,
                               "number"sv, "string"sv,  "integer"sv};

bool IsTypeName(const json::value& value) {
  return value.is_string() && std::ranges::find(kTypes, std::string_view(value.get_string())) != kTypes.end();
}

}  // namespace

const std::map<std::string_view, KeywordValue>& SchemaKeywords() {
  static const std::map<std::string_view, KeywordValue> kKeywords = {
      {"$anchor", KeywordValue::kText},
      {"$comment", KeywordValue::kAnything},
      {"$defs", KeywordValue::kNamedSchemas},
      {"$dynamicAnchor", KeywordValue::kText},
      {"$dynamicRef", KeywordValue::kUnchecked},
      {"$id", KeywordValue::kText},
      {"$recursiveAnchor", KeywordValue::kAnything},
      {"$recursiveRef", KeywordValue::kUnchecked},
      {"$ref", KeywordValue::kText},
      {"$schema", KeywordValue::kText},
      {"$vocabulary", KeywordValue::kAnything},
      {"additionalItems", KeywordValue::kSchema},
      {"additionalProperties", KeywordValue::kSchema},
      {"allOf", KeywordValue::kSchemas},
      {"anyOf", KeywordValue::kSchemas},
      {"const", KeywordValue::kAnything},
      {"contains", KeywordValue::kSchema},
      {"contentEncoding", KeywordValue::kAnything},
      {"contentMediaType", KeywordValue::kAnything},
      {"contentSchema", KeywordValue::kAnything},
      {"default", KeywordValue::kAnything},
      {"definitions", KeywordValue::kNamedSchemas},
      {"dependencies", KeywordValue::kSchemaOrNames},
      {"dependentRequired", KeywordValue::kNamesByName},
      {"dependentSchemas", KeywordValue::kNamedSchemas},
      {"deprecated", KeywordValue::kAnything},
      {"description", KeywordValue::kAnything},
      {"else", KeywordValue::kSchema},
      {"enum", KeywordValue::kList},
      {"examples", KeywordValue::kAnything},
      {"exclusiveMaximum", KeywordValue::kNumber},
      {"exclusiveMinimum", KeywordValue::kNumber},
      {"format", KeywordValue::kAnything},
      {"if", KeywordValue::kSchema},
      {"items", KeywordValue::kSchemaOrList},
      {"maxContains", KeywordValue::kCount},
      {"maxItems", KeywordValue::kCount},
      {"maxLength", KeywordValue::kCount},
      {"maxProperties", KeywordValue::kCount},
      {"maximum", KeywordValue::kNumber},
      {"minContains", KeywordValue::kCount},
      {"minItems", KeywordValue::kCount},
      {"minLength", KeywordValue::kCount},
      {"minProperties", KeywordValue::kCount},
      {"minimum", KeywordValue::kNumber},
      {"multipleOf", KeywordValue::kPositive},
      {"not", KeywordValue::kSchema},
      {"oneOf", KeywordValue::kSchemas},
      {"pattern", KeywordValue::kPattern},
      {"patternProperties", KeywordValue::kPatternSchemas},
      {"prefixItems", KeywordValue::kSchemas},
      {"properties", KeywordValue::kNamedSchemas},
      {"propertyNames", KeywordValue::kSchema},
      {"readOnly", KeywordValue::kAnything},
      {"required", KeywordValue::kNames},
      {"then", KeywordValue::kSchema},
      {"title", KeywordValue::kAnything},
      {"type", KeywordValue::kType},
      {"unevaluatedItems", KeywordValue::kSchema},
      {"unevaluatedProperties", KeywordValue::kSchema},
      {"uniqueItems", KeywordValue::kFlag},
      {"writeOnly", KeywordValue::kAnything},
  };
  return kKeywords;
}

const char* WantedInstead(KeywordValue holds, const json::value& value) {
  switch (holds) {
    case KeywordValue::kNames:
      return AreStrings(value) ? nullptr : "a list of names";
    case KeywordValue::kNamesByName:
      return value.is_object() && std::ranges::all_of(value.get_object(),
                                                      [](const auto& one) { return AreStrings(one.value()); })
                 ? nullptr
                 : "lists of names by name";
    case KeywordValue::kType:
      return IsTypeName(value) || (value.is_array() && std::ranges::all_of(value.get_array(), IsTypeName))
                 ? nullptr
                 : "null, boolean, object, array, number, string, integer, or a list of these";
    case KeywordValue::kNumber:
      return value.is_number() ? nullptr : "a number";
    case KeywordValue::kPositive:
      return AsDouble(value).value_or(0) > 0 ? nullptr : "a number above 0";
    case KeywordValue::kCount:
      return AsInteger(value).value_or(-1) >= 0 ? nullptr : "a whole number from 0";
    case KeywordValue::kFlag:
      return value.is_bool() ? nullptr : "true or false";
    case KeywordValue::kList:
      return value.is_array() ? nullptr : "a list";
    case KeywordValue::kText:
      return value.is_string() ? nullptr : "a string";
    case KeywordValue::kSchema:
    case KeywordValue::kSchemas:
    case KeywordValue::kSchemaOrList:
    case KeywordValue::kNamedSchemas:
    case KeywordValue::kSchemaOrNames:
    case KeywordValue::kPatternSchemas:
    case KeywordValue::kPattern:
    case KeywordValue::kAnything:
    case KeywordValue::kUnchecked:
      break;
  }
  return nullptr;
}

bool AreStrings(const json::value& value) {
  return value.is_array() &&
         std::ranges::all_of(value.get_array(), [](const json::value& one) { return one.is_string(); });
}

}  // namespace agenttalk
