#include "prompts/json_finder.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/issue.h"

namespace agenttalk {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kNone = std::string_view::npos;

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == kNone) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string_view SkipPreamble(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF"sv)) text.remove_prefix(3);
  text = Trim(text);
  constexpr std::string_view kOpen = "<think>";
  constexpr std::string_view kClose = "</think>";
  if (!text.starts_with(kOpen)) return text;
  const std::size_t end = text.find(kClose);
  return end == kNone ? text : Trim(text.substr(end + kClose.size()));
}

// The position behind the string that begins at `quote`, or npos. Jumps from quotation mark to quotation
// mark, because most of an answer is one long string.
std::size_t EndOfString(std::string_view text, std::size_t quote) {
  for (std::size_t at = text.find('"', quote + 1); at != kNone; at = text.find('"', at + 1)) {
    std::size_t backslashes = 0;
    while (text[at - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return at + 1;
  }
  return kNone;
}

// The position behind the object that begins at `brace`, or npos.
std::size_t EndOfObject(std::string_view text, std::size_t brace) {
  std::size_t depth = 0;
  for (std::size_t at = brace; at < text.size();) {
    if (text[at] == '"') {
      at = EndOfString(text, at);
      continue;
    }
    if (text[at] == '{') ++depth;
    if (text[at] == '}') --depth;
    ++at;
    if (depth == 0) return at;
  }
  return kNone;
}

bool IsOneObject(std::string_view text) {
  return text.starts_with('{') && EndOfObject(text, 0) == text.size();
}

std::unexpected<Issue> Refuse(std::string message) {
  return std::unexpected(Issue{ErrorCode::kJsonInvalid, "", std::move(message), "", 0});
}

std::unexpected<Issue> RefuseSeveral() {
  return Refuse("the answer holds more than one JSON object");
}

// Splits off the first line, without its line feed.
std::string_view TakeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text = end == kNone ? std::string_view() : text.substr(end + 1);
  return line;
}

// The number of backticks that begin a line, if it is a fence.
std::size_t FenceLength(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::size_t length = std::min(line.find_first_not_of('`'), line.size());
  return length >= 3 ? length : 0;
}

// Reads on to the end of a block and returns what it holds; nothing if the block does not end.
std::optional<std::string_view> TakeBlock(std::string_view& text, std::size_t fence) {
  const std::string_view start = text;
  while (!text.empty()) {
    const std::size_t length = start.size() - text.size();
    const std::string_view line = TakeLine(text);
    if (FenceLength(line) >= fence && Trim(line).find_first_not_of('`') == kNone) {
      return Trim(start.substr(0, length));
    }
  }
  return std::nullopt;
}

// The one code block that is an object, or an empty view when there is none.
std::expected<std::string_view, Issue> FindInCodeBlocks(std::string_view text) {
  std::string_view found;
  while (!text.empty()) {
    const std::size_t fence = FenceLength(TakeLine(text));
    if (fence == 0) continue;
    const std::optional<std::string_view> block = TakeBlock(text, fence);
    if (!block || !IsOneObject(*block)) continue;
    if (!found.empty()) return RefuseSeveral();
    found = *block;
  }
  return found;
}

std::expected<std::string_view, Issue> FindInProse(std::string_view text) {
  std::string_view found;
  for (std::size_t at = text.find('{'); at != kNone; at = text.find('{', at)) {
    const std::size_t next = text.find_first_not_of(kSpace, at + 1);
    if (next == kNone || text[next] != '"') {
      ++at;
      continue;
    }
    const std::size_t end = EndOfObject(text, at);
    if (end == kNone) return Refuse("the JSON object in the answer does not end; it may have been cut off");
    if (!found.empty()) return RefuseSeveral();
    found = text.substr(at, end - at);
    at = end;
  }
  if (found.empty()) return Refuse("the answer holds no JSON object");
  return found;
}

}  // namespace

std::expected<std::string_view, Issue> FindJsonObject(std::string_view text) {
  text = SkipPreamble(text);
  if (IsOneObject(text)) return text;
  auto in_block = FindInCodeBlocks(text);
  if (!in_block || !in_block->empty()) return in_block;
  return FindInProse(text);
}

}  // namespace agenttalk
