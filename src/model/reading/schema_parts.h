#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstddef>
#include <string_view>
#include <vector>

#include "model/reading/spelling.h"

// The pieces that JSON Schemas of answers are made of. Every object is closed and every field is required,
// which servers that hold a model to a schema ask for.
namespace agenttalk {

boost::json::object TypeSchema(std::string_view type);
boost::json::object TextSchema();
// Servers that make an answer by its schema choose among what it allows: without the bounds a score of 1e9.
boost::json::object PercentSchema();
boost::json::object ListSchema(boost::json::object items);
boost::json::object AnyOfSchema(std::vector<boost::json::object> schemas);
boost::json::object NullableSchema(boost::json::object schema);
// An object with exactly these fields.
boost::json::object ClosedSchema(boost::json::object properties);
// An object whose only field is a text.
boost::json::object TextFieldSchema(std::string_view name);

template <typename Texts>
boost::json::object ChoiceSchema(const Texts& texts) {
  boost::json::array list;
  for (const auto& text : texts) list.emplace_back(std::string_view(text));
  boost::json::object schema = TextSchema();
  schema["enum"] = std::move(list);
  return schema;
}

template <typename E, std::size_t N>
boost::json::object EnumSchema(const Spellings<E, N>& table) {
  std::vector<std::string_view> texts;
  for (const auto& entry : table) texts.push_back(entry.first);
  return ChoiceSchema(texts);
}

}  // namespace agenttalk
