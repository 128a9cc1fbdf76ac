#include "model/command/external_names.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace agenttalk {
namespace {

constexpr std::string_view kResult = "result_";
constexpr std::string_view kRefused = "refused_";
constexpr std::string_view kJson = ".json";

std::string NameOf(std::string_view prefix, const CommandId& command) {
  return std::string(prefix).append(command.str()).append(kJson);
}

std::optional<CommandId> CommandIn(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(kJson)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (name.size() <= kJson.size()) return std::nullopt;
  name.remove_suffix(kJson.size());
  if (!IsSafeName(name)) return std::nullopt;
  return CommandId(std::string(name));
}

}  // namespace

std::string DeliveryName(const CommandId& command) {
  return NameOf("", command);
}

std::optional<CommandId> DeliveryOf(std::string_view name) {
  return CommandIn(name, "");
}

std::string RefusalName(const CommandId& command) {
  return NameOf(kRefused, command);
}

std::optional<CommandId> RefusalOf(std::string_view name) {
  return CommandIn(name, kRefused);
}

std::string ResultName(const CommandId& command) {
  return NameOf(kResult, command);
}

std::optional<CommandId> ResultOf(std::string_view name) {
  return CommandIn(name, kResult);
}

bool IsResultName(std::string_view name) {
  return name.starts_with(kResult) && name.ends_with(kJson);
}

}  // namespace agenttalk
