#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace agenttalk {

// An id is a checked name (see IsSafeName) that cannot be confused with an id of another kind.
template <typename Tag>
class Id {
 public:
  Id() = default;
  explicit Id(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }

  auto operator<=>(const Id&) const = default;

 private:
  std::string text_;
};

using PlanId = Id<struct PlanTag>;
using TaskId = Id<struct TaskTag>;
using AgentId = Id<struct AgentTag>;
using CommandId = Id<struct CommandTag>;
using QuestionId = Id<struct QuestionTag>;

// True for `[A-Za-z0-9][A-Za-z0-9._-]{0,127}` without "..": what may become part of a path.
bool IsSafeName(std::string_view name);

}  // namespace agenttalk

template <typename Tag>
struct std::hash<agenttalk::Id<Tag>> {
  std::size_t operator()(const agenttalk::Id<Tag>& id) const noexcept {
    return std::hash<std::string>{}(id.str());
  }
};
