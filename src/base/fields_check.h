#pragma once

#include <boost/pfr/tuple_size.hpp>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "base/codec.h"

// For tests: whether the `Fields` lists of a struct, and of everything that it holds, name every member once.
// A member that is missing there is lost in a snapshot without a word. One that is derived on loading, and so
// is left out purpose, is counted by the struct: `static constexpr std::size_t kDerivedMembers = 3;`.
namespace agenttalk {

class FieldsCheck {
 public:
  // So many members are left out on purpose: they are derived on loading.
  template <typename T>
  void LeaveOut(std::size_t members) {
    left_out_[typeid(T)] = members;
  }

  template <typename T>
  void Check() {
    if constexpr (HasFields<T>) {
      if (seen_.insert(typeid(T)).second) CheckList<T>();
    } else {
      CheckParts(static_cast<T*>(nullptr));
    }
  }

  // What is wrong, one line each.
  [[nodiscard]] const std::vector<std::string>& wrong() const { return wrong_; }
  // Types with constructors or private members, which cannot be counted.
  [[nodiscard]] const std::vector<std::string>& uncounted() const { return uncounted_; }
  [[nodiscard]] std::size_t checked() const { return seen_.size() - uncounted_.size(); }

 private:
  template <typename T>
  void CheckList() {
    T value{};
    std::set<const void*> places;
    std::size_t listed = 0;
    T::Fields(value, [&](const char* name, auto& field) {
      ++listed;
      if (!places.insert(&field).second) {
        wrong_.push_back(std::string(typeid(T).name()) + " lists " + name + " twice");
      }
      Check<std::remove_cvref_t<decltype(field)>>();
    });
    if constexpr (std::is_aggregate_v<T>) {
      constexpr std::size_t kMembers = boost::pfr::tuple_size_v<T>;
      if (listed + left_out_[typeid(T)] != kMembers) {
        wrong_.push_back(std::string(typeid(T).name()) + " lists " + std::to_string(listed) + " of " +
                         std::to_string(kMembers) + " members");
      }
    } else {
      uncounted_.emplace_back(typeid(T).name());
    }
  }

  void CheckParts(const void* /*a number, a text*/) {}
  template <typename T>
  void CheckParts(std::vector<T>* /*list*/) {
    Check<T>();
  }
  template <typename T>
  void CheckParts(std::deque<T>* /*list*/) {
    Check<T>();
  }
  template <typename T>
  void CheckParts(std::optional<T>* /*value*/) {
    Check<T>();
  }
  template <typename T>
  void CheckParts(std::unique_ptr<T>* /*value*/) {
    Check<T>();
  }
  template <typename K, typename V>
  void CheckParts(std::map<K, V>* /*entries*/) {
    Check<K>();
    Check<V>();
  }
  template <typename K, typename V>
  void CheckParts(std::pair<K, V>* /*entry*/) {
    Check<K>();
    Check<V>();
  }
  template <typename... T>
  void CheckParts(std::variant<T...>* /*value*/) {
    (Check<T>(), ...);
  }
  template <typename V>
  void CheckParts(NameMap<V>* /*entries*/) {
    Check<V>();
  }

  std::set<std::type_index> seen_;
  std::map<std::type_index, std::size_t> left_out_;
  std::vector<std::string> wrong_;
  std::vector<std::string> uncounted_;
};

}  // namespace agenttalk
