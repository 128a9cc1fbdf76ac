#include "runtime/core/record_name.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace agenttalk {
namespace {

std::optional<std::uint64_t> ParseNumbered(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string QuestionName(std::uint64_t event) {
  return fmt::format("q_{}", event);
}
std::string QuestionFilePath(std::uint64_t event, std::string_view file) {
  return fmt::format("human/inbox/{}/{}", QuestionName(event), file);
}
std::string LetterName(std::uint64_t event) {
  return fmt::format("dl_{}", event);
}
std::optional<std::uint64_t> ParseQuestionName(std::string_view name) {
  return ParseNumbered(name, "q_");
}
std::optional<std::uint64_t> ParseLetterName(std::string_view name) {
  return ParseNumbered(name, "dl_");
}

}  // namespace agenttalk
