#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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
class WaitingIndex {
 public:
  // One requirement of one waiting command.
  struct Waiter {
    std::uint32_t command = 0;
    std::uint32_t requirement = 0;
    bool operator==(const Waiter&) const = default;
  };

  void Add(const std::string& pattern, Waiter waiter);
  void Remove(const std::string& pattern, Waiter waiter);
  // A file of this name is there now: calls `arrived` for each waiter whose pattern it meets, and removes
  // those for which it returns true (nothing more to wait for). A plain name has nothing more after one
  // arrival.
  void Arrive(std::string_view name, const std::function<bool(Waiter)>& arrived);

 private:
  struct GlobWaiter {
    std::string pattern;
    Waiter waiter;
  };
  StringMap<std::vector<Waiter>> exact_;
  StringMap<std::vector<GlobWaiter>> globs_;  // by literal prefix
  std::size_t longest_prefix_ = 0;            // of any glob ever added
};

}  // namespace agenttalk
