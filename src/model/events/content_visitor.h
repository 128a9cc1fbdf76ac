#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/codec.h"
#include "base/name_map.h"
#include "model/content/content.h"

// Every Content in a stored struct, found through its `Fields` list: a field that names a content is found
// without anybody having to think of it.
namespace agenttalk {

template <typename T, typename Visit>
void ForEachContent(const T& value, const Visit& visit);

namespace content_visitor_detail {

template <typename T>
inline constexpr bool kIsList = false;
template <typename T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <typename T>
inline constexpr bool kIsMap = false;
template <typename K, typename V>
inline constexpr bool kIsMap<std::map<K, V>> = true;
template <typename V>
inline constexpr bool kIsMap<NameMap<V>> = true;
template <typename T>
inline constexpr bool kIsPointer = false;
template <typename T>
inline constexpr bool kIsPointer<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsPointer<std::unique_ptr<T>> = true;
template <typename T>
inline constexpr bool kIsVariant = false;
template <typename... T>
inline constexpr bool kIsVariant<std::variant<T...>> = true;

}  // namespace content_visitor_detail

template <typename T, typename Visit>
void ForEachContent(const T& value, const Visit& visit) {
  using namespace content_visitor_detail;  // NOLINT(google-build-using-namespace): a few names, here alone
  if constexpr (std::is_same_v<T, Content>) {
    if (!value.empty()) visit(value);
  } else if constexpr (kIsVariant<T>) {
    std::visit([&](const auto& held) { ForEachContent(held, visit); }, value);
  } else if constexpr (kIsList<T>) {
    for (const auto& item : value) ForEachContent(item, visit);
  } else if constexpr (kIsMap<T>) {
    for (const auto& [key, item] : value) ForEachContent(item, visit);
  } else if constexpr (kIsPointer<T>) {
    if (value) ForEachContent(*value, visit);
  } else if constexpr (HasFields<T>) {
    T::Fields(value, [&](const char*, const auto& field) { ForEachContent(field, visit); });
  }
}

}  // namespace agenttalk
