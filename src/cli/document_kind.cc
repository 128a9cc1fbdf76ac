#include "cli/document_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {
namespace {

// The keys of the outermost object of a JSON text that may be broken further on.
class TopLevelKeys {
 public:
  static std::vector<std::string_view> OfJson(std::string_view text) {
    std::vector<std::string_view> keys;
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char c = text[at];
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (c != '"') continue;
      const std::size_t end = EndOfString(text, at);
      if (depth == 1 && IsFollowedByColon(text, end)) keys.push_back(text.substr(at + 1, end - at - 1));
      at = end;
    }
    return keys;
  }

  // Of a YAML text in block style: words at the start of a line that are followed by a colon.
  static std::vector<std::string_view> OfYaml(std::string_view text) {
    std::vector<std::string_view> keys;
    while (!text.empty()) {
      const std::size_t line_end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, line_end);
      const std::size_t word_end =
          line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
      if (word_end != 0 && word_end != std::string_view::npos && line[word_end] == ':') {
        keys.push_back(line.substr(0, word_end));
      }
      text.remove_prefix(std::min(line_end + 1, text.size()));
    }
    return keys;
  }

 private:
  static std::size_t EndOfString(std::string_view text, std::size_t quote) {
    std::size_t at = quote + 1;
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2u : 1u;
    return std::min(at, text.size());
  }
  static bool IsFollowedByColon(std::string_view text, std::size_t quote) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", std::min(quote + 1, text.size()));
    return next != std::string_view::npos && text[next] == ':';
  }
};

std::optional<DocumentKind> KindByName(std::string_view name) {
  if (name == "agenttalk.yaml" || name == "agenttalk.yml") return DocumentKind::kConfig;
  if (name == "agent_profile.json") return DocumentKind::kProfile;
  if (name == "task_dag.json") return DocumentKind::kDag;
  if (name == "plan.yaml" || name == "plan.yml") return DocumentKind::kPlan;
  if (name.starts_with("cmd_") && name.ends_with(".json")) return DocumentKind::kCommand;
  return std::nullopt;
}

std::optional<DocumentKind> KindByKeys(const std::vector<std::string_view>& keys) {
  const auto has_any = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names,
                               [&](std::string_view name) { return std::ranges::count(keys, name) > 0; });
  };
  if (has_any({"command_id", "command_seq"})) return DocumentKind::kCommand;
  if (has_any({"thought", "expectedOutcome"})) return DocumentKind::kOutput;
  if (has_any({"nodes"})) return DocumentKind::kDag;
  if (has_any({"tasks"})) return DocumentKind::kPlan;
  if (has_any({"providers", "agents", "heartbeat_seconds", "limits"})) return DocumentKind::kConfig;
  if (has_any({"plan_id", "task_id", "required_inputs", "on_complete"})) return DocumentKind::kCommand;
  if (has_any({"agent_id", "capabilities", "permissions"})) return DocumentKind::kProfile;
  if (has_any({"plan", "goal"})) return DocumentKind::kPlan;
  if (has_any({"version"})) return DocumentKind::kConfig;
  return std::nullopt;
}

}  // namespace

std::string_view ToString(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::kCommand:
      return "command";
    case DocumentKind::kDag:
      return "dag";
    case DocumentKind::kPlan:
      return "plan";
    case DocumentKind::kProfile:
      return "profile";
    case DocumentKind::kConfig:
      return "config";
    case DocumentKind::kOutput:
      return "output";
  }
  return "command";
}

std::optional<DocumentKind> ParseDocumentKind(std::string_view text) {
  const auto found =
      std::ranges::find_if(kDocumentKinds, [&](DocumentKind kind) { return ToString(kind) == text; });
  if (found == kDocumentKinds.end()) return std::nullopt;
  return *found;
}

DocumentKind GuessKind(std::string_view file_name, std::string_view text) {
  if (const auto kind = KindByName(file_name)) return *kind;
  const bool yaml = file_name.ends_with(".yaml") || file_name.ends_with(".yml");
  const auto keys = yaml ? TopLevelKeys::OfYaml(text) : TopLevelKeys::OfJson(text);
  if (const auto kind = KindByKeys(keys)) return *kind;
  return yaml ? DocumentKind::kPlan : DocumentKind::kCommand;
}

}  // namespace agenttalk
