#include "model/answer/thinking_command.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/utf8.h"
#include "model/reading/object_reader.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

void RefuseForm(Issues& issues, ErrorCode code, std::string path, std::string message,
                std::string hint = {}) {
  issues.errors.push_back({code, std::move(path), std::move(message), std::move(hint), 0});
}

std::string ReadThinkingName(const json::object& command, const std::string& path, Issues& issues) {
  const json::value* name = command.if_contains("command_name");
  if (name == nullptr || name->is_null()) {
    RefuseForm(issues, ErrorCode::kFieldMissing, path + "/command_name", "command_name is missing",
               "write {\"command_name\": \"pass\", \"args\": {}}");
    return {};
  }
  if (!name->is_string()) {
    RefuseForm(issues, ErrorCode::kTypeMismatch, path + "/command_name",
               fmt::format("command_name must be a string, not {}", KindName(*name)));
    return {};
  }
  const std::string_view text = name->get_string();
  if (IsBlank(text) || text.size() > kLongestThinkingName) {
    RefuseForm(issues, ErrorCode::kValueInvalid, path + "/command_name",
               fmt::format("a command's name has 1 to {} characters", kLongestThinkingName));
    return {};
  }
  return std::string(text);
}

std::string ReadThinkingArgs(const json::object& command, const std::string& path, Issues& issues) {
  const json::value* args = command.if_contains("args");
  if (args == nullptr || args->is_null()) return "{}";
  if (!args->is_object()) {
    RefuseForm(issues, ErrorCode::kTypeMismatch, path + "/args",
               fmt::format("args must be an object, not {}", KindName(*args)));
    return "{}";
  }
  std::string text = CanonicalJson(*args);
  if (text.size() > kLongestThinkingArgs) {
    RefuseForm(issues, ErrorCode::kTooLarge, path + "/args",
               fmt::format("the arguments have {} bytes; {} are allowed", text.size(), kLongestThinkingArgs),
               "put long texts into the result or an output");
    return "{}";
  }
  return text;
}

ThinkingCommand ReadThinkingCommand(const json::value& item, const std::string& path, Issues& issues) {
  const json::object* object = item.if_object();
  if (object == nullptr) {
    RefuseForm(issues, ErrorCode::kTypeMismatch, path,
               fmt::format("a command must be an object, not {}", KindName(item)),
               "write {\"command_name\": \"pass\", \"args\": {}}");
    return {};
  }
  for (const auto& member : *object) {
    if (member.key() == "command_name" || member.key() == "args") continue;
    RefuseForm(issues, ErrorCode::kUnknownField, path,
               "a command has command_name and args, and nothing else", "put arguments into args");
    break;
  }
  ThinkingCommand command;
  command.name = ReadThinkingName(*object, path, issues);
  command.args = ReadThinkingArgs(*object, path, issues);
  return command;
}

}  // namespace

std::vector<ThinkingCommand> ReadThinkingCommands(const json::value& list, std::string_view root,
                                                  Issues& issues) {
  std::vector<ThinkingCommand> commands;
  if (!list.is_array()) {
    RefuseForm(issues, ErrorCode::kTypeMismatch, std::string(root),
               fmt::format("commands must be an array of objects, not {}", KindName(list)));
    return commands;
  }
  const json::array& items = list.get_array();
  if (items.size() > kMostThinkingCommands) {
    RefuseForm(issues, ErrorCode::kTooLarge, std::string(root),
               fmt::format("{} commands at once; {} are allowed", items.size(), kMostThinkingCommands),
               "issue fewer, and go on in the next answer");
    return commands;
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    commands.push_back(ReadThinkingCommand(items[i], fmt::format("{}/{}", root, i), issues));
    bytes += commands.back().args.size();
  }
  if (bytes > kLongestThinkingBatch) {
    RefuseForm(
        issues, ErrorCode::kTooLarge, std::string(root),
        fmt::format("the commands have {} bytes together; {} are allowed", bytes, kLongestThinkingBatch));
  }
  return commands;
}

std::string ThinkingCommandsText(const std::vector<ThinkingCommand>& commands) {
  std::string text = "[";
  for (const ThinkingCommand& command : commands) {
    if (text.size() > 1) text += ",";
    text += fmt::format("{{\"args\":{},\"command_name\":{}}}", command.args,
                        CompactJson(json::string(command.name)));
  }
  return text + "]";
}

}  // namespace agenttalk
