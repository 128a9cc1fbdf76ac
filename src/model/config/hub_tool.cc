#include "model/config/hub_tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_schema.h"
#include "base/suggestion.h"
#include "base/time.h"
#include "model/config/known_names.h"
#include "model/config/risk_level.h"
#include "model/config/tool_names.h"
#include "model/reading/object_reader.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestDescription = 2000;
constexpr Duration kLongestRun = std::chrono::hours(24);

// A piece of one part of a command: plain text, or the name of an argument.
struct Piece {
  std::string text;
  bool is_argument = false;
};

bool IsArgumentName(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

// "{path}" is an argument, "{{path}}" the text {path}, and other braces are text.
std::vector<Piece> PiecesOf(std::string_view part) {
  std::vector<Piece> pieces;
  std::string text;
  while (!part.empty()) {
    const bool escaped = part.starts_with("{{");
    const std::size_t end = part.find(escaped ? "}}" : "}");
    const std::size_t start = escaped ? 2 : 1;
    const bool named = part.front() == '{' && end != std::string_view::npos &&
                       IsArgumentName(part.substr(start, end - start));
    if (!named) {
      text += part.front();
      part.remove_prefix(1);
      continue;
    }
    const std::string name(part.substr(start, end - start));
    part.remove_prefix(end + start);
    if (escaped) {
      text += "{" + name + "}";
      continue;
    }
    if (!text.empty()) pieces.push_back({std::exchange(text, {}), false});
    pieces.push_back({name, true});
  }
  if (!text.empty() || pieces.empty()) pieces.push_back({std::move(text), false});
  return pieces;
}

std::set<std::string> PlaceholdersOf(const std::vector<std::string>& command) {
  std::set<std::string> names;
  for (const std::string& part : command) {
    for (const Piece& piece : PiecesOf(part)) {
      if (piece.is_argument) names.insert(piece.text);
    }
  }
  return names;
}

std::string ArgumentText(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : CompactJson(value);
}

void CheckToolName(const std::string& name, ObjectReader& reader) {
  if (!IsToolName(name)) {
    reader.Error({}, ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot name a tool", name),
                 "letters, digits, '_' and '-', at most 64 of them");
  } else if (IsKnownName(kKnownTools, name)) {
    reader.Error({}, ErrorCode::kValueInvalid, fmt::format("\"{}\" comes with the program", name),
                 "give your tool another name");
  } else if (name.starts_with(kMcpPrefix)) {
    reader.Error({}, ErrorCode::kValueInvalid, "names that start with mcp__ belong to MCP servers",
                 "give your tool another name");
  }
}

void ReadCommand(ObjectReader& reader, HubToolConfig& tool) {
  constexpr const char* kHint = "command: [program, argument, …]; there is no shell";
  if (const json::value* text = reader.Value("command"); text != nullptr && text->is_string()) {
    reader.Error("command", ErrorCode::kTypeMismatch, "must be a list", kHint);
    return;
  }
  reader.Strings(Field("command").Required().Hint(kHint), tool.command);
  if (reader.Failed("command")) return;
  if (tool.command.empty() || tool.command.front().empty()) {
    reader.Error("command", ErrorCode::kValueInvalid, "names no program", kHint);
  } else if (std::ranges::any_of(PiecesOf(tool.command.front()), &Piece::is_argument)) {
    reader.Error("command", ErrorCode::kValueInvalid, "the program cannot be an argument",
                 "arguments come after the program");
  }
  for (const std::string& part : tool.command) {
    if (part.find("..") != std::string::npos && part.starts_with(std::string(kToolsFolder) + "/"))
      reader.Error("command", ErrorCode::kNameUnsafe, "the path leaves the folder tools/",
                   "write it without \"..\"");
  }
}

// Everything that the schema says must be checked here, because nobody else does.
void ReadSchema(ObjectReader& reader, HubToolConfig& tool) {
  const json::value* given = reader.Value("schema");
  if (given == nullptr) return;
  const auto refuse = [&](const std::string& path, ErrorCode code, std::string message, std::string hint) {
    reader.issues().errors.push_back(
        {code, reader.Pointer("schema") + path, std::move(message), std::move(hint)});
  };
  const json::object* object = given->if_object();
  const json::value* type = object == nullptr ? nullptr : object->if_contains("type");
  if (type == nullptr || *type != "object") {
    refuse("", ErrorCode::kTypeMismatch, "must be the JSON Schema of an object",
           "schema: {type: object, properties: {…}, required: […]}");
    return;
  }
  const auto schema = JsonSchema::Load(*given);
  if (!schema) {
    // "/properties/n/type: must be …"
    const std::string& message = schema.error().message;
    const std::size_t colon = message.starts_with('/') ? message.find(": ") : std::string::npos;
    refuse(colon == std::string::npos ? "" : message.substr(0, colon), ErrorCode::kValueInvalid,
           colon == std::string::npos ? message : message.substr(colon + 2),
           "write what JSON Schema 2020-12 allows there");
    return;
  }
  for (const Issue& gap : schema->gaps())
    refuse(gap.path, ErrorCode::kValueInvalid, "arguments cannot be checked by this: " + gap.message,
           "say it in other words of JSON Schema 2020-12");
  for (const Issue& unknown : schema->unknown())
    refuse(unknown.path, ErrorCode::kUnknownField, unknown.message, unknown.hint);
  tool.schema = CanonicalJson(*given);
}

// Every argument is used, and everything that is used is an argument.
void CheckPlaceholders(ObjectReader& reader, const HubToolConfig& tool) {
  const json::value schema = json::parse(tool.schema);
  const json::value* properties = schema.get_object().if_contains("properties");
  std::vector<std::string_view> names;
  if (properties != nullptr && properties->is_object()) {
    for (const auto& property : properties->get_object()) names.push_back(property.key());
  }
  const std::set<std::string> used = PlaceholdersOf(tool.command);
  for (const std::string& name : used) {
    if (std::ranges::find(names, name) != names.end()) continue;
    std::string hint = DidYouMean(name, names);
    if (hint.empty())
      hint = fmt::format("add it to the schema's properties, or write {{{{{}}}}} for the text itself", name);
    reader.Error("command", ErrorCode::kValueInvalid, fmt::format("there is no argument \"{}\"", name),
                 std::move(hint));
  }
  if (used.empty()) return;
  for (const std::string_view name : names) {
    if (!used.contains(std::string(name)))
      reader.Error(
          "command", ErrorCode::kValueInvalid, fmt::format("the argument \"{}\" is not used", name),
          fmt::format("write {{{}}} where it belongs; a command without any gets all arguments as JSON on "
                      "its standard input",
                      name));
  }
}

void ReadEnvironment(ObjectReader& reader, HubToolConfig& tool) {
  constexpr std::array<std::string_view, 4> kOwn = {"PATH", "HOME", "TMPDIR", "LANG"};
  if (!reader.Strings(Field("env").Hint("names of environment variables"), tool.env)) return;
  for (const std::string& name : tool.env) {
    const bool good =
        IsArgumentName(name) && name.find('-') == std::string::npos && (name[0] < '0' || name[0] > '9');
    if (!good) {
      reader.Error("env", ErrorCode::kValueInvalid, fmt::format("\"{}\" is not the name of a variable", name),
                   "names only; the values come from the environment of the hub");
    } else if (std::ranges::find(kOwn, name) != kOwn.end() || name.starts_with("LD_")) {
      reader.Error("env", ErrorCode::kValueInvalid, fmt::format("{} is set by the sandbox", name),
                   "leave it out");
    }
  }
}

}  // namespace

bool HubToolConfig::HasPlaceholders() const {
  return !PlaceholdersOf(command).empty();
}

bool HubToolConfig::UsesToolsFolder() const {
  return std::ranges::any_of(
      command, [](const std::string& part) { return part.starts_with(std::string(kToolsFolder) + "/"); });
}

void ReadHubTool(const std::string& name, ObjectReader& reader, HubToolConfig& tool) {
  reader.RefuseOthers();
  CheckToolName(name, reader);
  reader.Text(Field("description").Required().Hint("what the tool does, for the model"), tool.description);
  if (tool.description.size() > kLongestDescription)
    reader.Error("description", ErrorCode::kTooLarge,
                 fmt::format("has more than {} bytes", kLongestDescription),
                 "say what it does in a few sentences");
  ReadCommand(reader, tool);
  const std::size_t before = reader.issues().errors.size();
  ReadSchema(reader, tool);
  if (reader.issues().errors.size() == before && !reader.Failed("command")) CheckPlaceholders(reader, tool);
  bool idempotent = false;
  if (reader.Boolean("idempotent", idempotent)) tool.idempotent = idempotent;
  if (const json::value* network = reader.Value("network"); network != nullptr && network->is_array()) {
    reader.Error("network", ErrorCode::kTypeMismatch, "a list of hosts is not supported",
                 "true: the whole network; false: none");
  } else {
    reader.Boolean("network", tool.network);
  }
  Duration timeout{};
  if (reader.Period("timeout", timeout)) {
    if (timeout <= Duration::zero() || timeout > kLongestRun)
      reader.Error("timeout", ErrorCode::kValueInvalid, "must be more than nothing and at most a day");
    tool.timeout = timeout;
  }
  ReadEnvironment(reader, tool);
  reader.Integer("max_output_bytes", {.min = 1024, .max = 1 << 30}, tool.max_output_bytes);
  reader.Choice<RiskLevel>("risk", kRiskLevels, tool.risk);
}

json::object ToJson(const HubToolConfig& tool) {
  const HubToolConfig standard;
  json::object object{{"description", tool.description},
                      {"command", json::array(tool.command.begin(), tool.command.end())}};
  if (tool.schema != standard.schema) object["schema"] = json::parse(tool.schema);
  if (tool.idempotent) object["idempotent"] = *tool.idempotent;
  if (tool.network) object["network"] = true;
  if (tool.risk != standard.risk) object["risk"] = ToString(tool.risk);
  if (tool.timeout != standard.timeout)
    object["timeout"] = std::chrono::duration<double>(tool.timeout).count();
  if (!tool.env.empty()) object["env"] = json::array(tool.env.begin(), tool.env.end());
  if (tool.max_output_bytes != 0) object["max_output_bytes"] = tool.max_output_bytes;
  return object;
}

Result<std::vector<std::string>> FillCommand(const std::vector<std::string>& command,
                                             const json::object& arguments) {
  std::vector<std::string> filled;
  bool options_ended = false;  // by a part "--"
  // `value` is what the part begins with, of that argument; null: text of the command itself.
  const auto add = [&](std::string part, const std::string& name, const json::value* value) -> Result<void> {
    if (part.find('\0') != std::string::npos)
      return Fail(ErrorCode::kValueInvalid, "an argument contains a NUL character");
    const bool could_be_option = value != nullptr && !value->is_number() && part.starts_with('-');
    if (could_be_option && !options_ended) {
      return Fail(
          ErrorCode::kValueInvalid,
          fmt::format(
              "the argument \"{}\" must not begin with \"-\": the program could take it for an option",
              name));
    }
    filled.push_back(std::move(part));
    return {};
  };
  for (const std::string& part : command) {
    const std::vector<Piece> pieces = PiecesOf(part);
    std::string text;
    bool given = true;
    for (const Piece& piece : pieces) {
      const json::value* value = piece.is_argument ? arguments.if_contains(piece.text) : nullptr;
      if (piece.is_argument && (value == nullptr || value->is_null())) given = false;
      if (value != nullptr) text += ArgumentText(*value);
      if (!piece.is_argument) text += piece.text;
    }
    if (!given) continue;
    const Piece& first = pieces.front();
    const json::value* begins = first.is_argument ? arguments.if_contains(first.text) : nullptr;
    if (pieces.size() == 1 && begins != nullptr && begins->is_array()) {
      for (const json::value& item : begins->get_array()) TRY(add(ArgumentText(item), first.text, &item));
      continue;
    }
    TRY(add(std::move(text), first.text, begins));
    if (part == "--") options_ended = true;
  }
  return filled;
}

}  // namespace agenttalk
