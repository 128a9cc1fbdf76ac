#include "model/reading/schema_parts.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace agenttalk {

namespace json = boost::json;

json::object TypeSchema(std::string_view type) {
  json::object schema;
  schema["type"] = type;
  return schema;
}

json::object TextSchema() {
  return TypeSchema("string");
}

json::object PercentSchema() {
  json::object schema = TypeSchema("integer");
  schema["minimum"] = 0;
  schema["maximum"] = 100;
  return schema;
}

json::object ListSchema(json::object items) {
  json::object schema = TypeSchema("array");
  schema["items"] = std::move(items);
  return schema;
}

json::object AnyOfSchema(std::vector<json::object> schemas) {
  if (schemas.size() == 1) return std::move(schemas.front());
  json::array list;
  for (json::object& schema : schemas) list.emplace_back(std::move(schema));
  json::object any;
  any["anyOf"] = std::move(list);
  return any;
}

json::object NullableSchema(json::object schema) {
  return AnyOfSchema({std::move(schema), TypeSchema("null")});
}

json::object ClosedSchema(json::object properties) {
  json::array required;
  for (const auto& property : properties) required.emplace_back(property.key());
  json::object schema = TypeSchema("object");
  schema["properties"] = std::move(properties);
  schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

json::object TextFieldSchema(std::string_view name) {
  json::object params;
  params[name] = TextSchema();
  return ClosedSchema(std::move(params));
}

}  // namespace agenttalk
