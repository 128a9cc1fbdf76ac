#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string_view>

// Looking into JSON that a stranger sent: what is missing or of another type counts as not there.
namespace agenttalk {

inline const boost::json::object* ObjectAt(const boost::json::object& object, std::string_view key) {
  const boost::json::value* found = object.if_contains(key);
  return found == nullptr ? nullptr : found->if_object();
}

inline const boost::json::array* ArrayAt(const boost::json::object& object, std::string_view key) {
  const boost::json::value* found = object.if_contains(key);
  return found == nullptr ? nullptr : found->if_array();
}

inline std::string_view TextAt(const boost::json::object& object, std::string_view key) {
  const boost::json::value* found = object.if_contains(key);
  const boost::json::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

// Overwrites `count` when a number that counts something is there.
inline void ReadCount(const boost::json::object& object, std::string_view key, std::uint64_t& count) {
  const boost::json::value* found = object.if_contains(key);
  if (found == nullptr) return;
  if (found->is_uint64()) count = found->get_uint64();
  if (found->is_int64() && found->get_int64() >= 0) count = static_cast<std::uint64_t>(found->get_int64());
}

}  // namespace agenttalk
