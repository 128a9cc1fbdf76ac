#include "model/reading/yaml_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "base/issue.h"

namespace agenttalk {
namespace {

struct Explanation {
  std::string_view parser_says;  // the beginning of the parser's message
  std::string_view message;
  std::string_view hint;
};

constexpr std::string_view kIndentHint =
    "indent the lines of one block by the same number of spaces, and begin the entries of a list in the same "
    "column";

constexpr auto kExplanations = std::to_array<Explanation>({
    {"end of map not found", "the indentation does not match the lines above", kIndentHint},
    {"end of sequence not found", "the indentation does not match the list entries above", kIndentHint},
    {"end of map flow not found", "a { is not closed, or a comma is missing", "close it with }"},
    {"end of sequence flow not found", "a [ is not closed, or a comma is missing", "close it with ]"},
    {"illegal flow end", "a ] or } closes nothing", "remove it, or add the [ or { that it belongs to"},
    {"illegal block entry", "a list entry (\"- \") cannot begin here",
     "put it on a line of its own, indented below its key"},
    {"illegal map value", "a second \": \" in one line",
     "put a value that contains \": \" in quotes; a new key begins on a new line"},
    {"illegal map key", "a key cannot begin here", kIndentHint},
    {"illegal tab", "a tab is used for indentation", "indent with spaces"},
    {"illegal EOF in scalar", "a quoted text is not closed", "add the closing quote"},
    {"illegal document indicator in scalar", "a quoted text is not closed", "add the closing quote"},
    {"unknown token", "a value begins with a character that has a special meaning",
     "put the value in quotes"},
    {"unknown escape character", "an escape sequence is not known",
     "write \\\\ for a backslash in double quotes, or use single quotes"},
    {"alias not found after *", "a * begins a value, which YAML takes for an alias",
     "put the value in quotes, e.g. \"*.md\""},
    {"illegal character found while scanning alias", "a * begins a value, which YAML takes for an alias",
     "put the value in quotes, e.g. \"*.md\""},
    {"the referenced anchor is not defined", "a * begins a value, which YAML takes for an alias",
     "put the value in quotes, e.g. \"*.md\""},
    {"anchor not found after &", "a & begins a value, which YAML takes for an anchor",
     "put the value in quotes"},
});

std::string_view LineOf(std::string_view text, int number) {
  for (int line = 1; line < number && !text.empty(); ++line) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  return text.substr(0, std::min(text.find('\n'), text.size()));
}

// The first line up to the given one that is indented with a tab; 0: none.
int TabLine(std::string_view text, int last) {
  for (int line = 1; line <= last; ++line) {
    const std::string_view content = LineOf(text, line);
    const std::size_t indent = std::min(content.find_first_not_of(" \t"), content.size());
    if (content.substr(0, indent).find('\t') != std::string_view::npos) return line;
  }
  return 0;
}

}  // namespace

Issue ExplainYamlError(std::string_view text, int line, int column, std::string_view parser_says) {
  std::string message(parser_says);
  std::string hint;
  if (const int tab = TabLine(text, line); tab != 0) {
    line = tab;
    column = 1;
    message = "a tab is used for indentation";
    hint = "indent with spaces";
  } else {
    const auto known = std::ranges::find_if(
        kExplanations, [&](const Explanation& one) { return parser_says.starts_with(one.parser_says); });
    if (known != kExplanations.end()) {
      message = known->message;
      hint = known->hint;
    }
  }
  return {.code = ErrorCode::kYamlInvalid,
          .path = "",
          .message = line == 0 ? message : fmt::format("line {}, column {}: {}", line, column, message),
          .hint = hint,
          .line = line};
}

}  // namespace agenttalk
