#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/number_table.h"

namespace agenttalk {

// Lets string-keyed maps be asked with a view, without making a string.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};
template <typename V>
using StringMap = std::unordered_map<std::string, V, StringHash, std::equal_to<>>;

// Finds the commands of one agent and plan that wait for a file of a given name. Exact names are looked up;
// globs are kept under their literal prefix and found by asking for each prefix of the arriving name, so the
// cost of an arrival depends on the name's length and on who waits for it, not on how many commands wait.
//
// A million may wait, and then nothing that an arrival looks at is in a cache: a short name, as most are, is
// kept beside its waiter and compared there. For a longer one the index asks what the waiter waits for, since
// that is three places further.
class WaitingIndex {
 public:
  // One requirement of one waiting command.
  struct Waiter {
    std::uint32_t command = 0;
    std::uint32_t requirement = 0;
    bool operator==(const Waiter&) const = default;
  };
  // The name or glob that a waiter was added with.
  using PatternOf = std::function<std::string_view(Waiter)>;

  void Add(std::string_view pattern, Waiter waiter, const PatternOf& pattern_of);
  void Remove(std::string_view pattern, Waiter waiter, const PatternOf& pattern_of);
  // A file of this name is there now: calls `arrived` for each waiter whose pattern it meets, in the order in
  // which they came, and removes those for which it returns true (nothing more to wait for).
  void Arrive(std::string_view name, const PatternOf& pattern_of, const std::function<bool(Waiter)>& arrived);

 private:
  // Waiters for one plain name form a list, whose first is in the table.
  struct Node {
    static constexpr std::size_t kLongestKept = 23;

    Waiter waiter;
    std::uint32_t next = NumberTable::kNone;
    std::uint32_t last = NumberTable::kNone;  // of the list; kept in its first node only
    std::uint8_t name_size = 0;               // more than kLongestKept: the name is not kept here
    std::array<char, kLongestKept> name{};

    void Keep(std::string_view text);
  };
  struct GlobWaiter {
    std::string pattern;
    Waiter waiter;
  };

  [[nodiscard]] std::uint32_t FirstOf(std::string_view name, const PatternOf& pattern_of) const;
  static bool IsFor(const Node& node, std::string_view name, const PatternOf& pattern_of);
  std::uint32_t NewNode(std::string_view name, Waiter waiter);
  void Release(std::uint32_t node);
  void RemoveExact(std::string_view name, Waiter waiter, const PatternOf& pattern_of);

  NumberTable exact_;  // by name: the first node of its list
  std::vector<Node> nodes_;
  std::uint32_t free_ = NumberTable::kNone;   // nodes that are not in use, linked by `next`
  StringMap<std::vector<GlobWaiter>> globs_;  // by literal prefix
  std::size_t longest_prefix_ = 0;            // of any glob ever added
};

}  // namespace agenttalk
