#include "mcp/client/call_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/json_schema.h"
#include "base/utf8.h"
#include "mcp/client/remote_tool.h"
#include "mcp/message.h"
#include "tools/tool_runner.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

constexpr std::size_t kLongestFileName = 100;

std::string_view EndingOf(std::string_view mime) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kEndings = {{
      {"image/png", ".png"},       {"image/jpeg", ".jpg"},      {"image/gif", ".gif"},
      {"image/webp", ".webp"},     {"image/svg+xml", ".svg"},   {"audio/wav", ".wav"},
      {"audio/x-wav", ".wav"},     {"audio/mpeg", ".mp3"},      {"audio/ogg", ".ogg"},
      {"video/mp4", ".mp4"},       {"application/pdf", ".pdf"}, {"application/json", ".json"},
      {"text/plain", ".txt"},      {"text/markdown", ".md"},    {"text/html", ".html"},
      {"text/csv", ".csv"},        {"application/zip", ".zip"}, {"application/gzip", ".gz"},
      {"application/xml", ".xml"}, {"text/xml", ".xml"},
  }};
  mime = mime.substr(0, mime.find(';'));
  const auto found = std::ranges::find(kEndings, mime, &std::pair<std::string_view, std::string_view>::first);
  return found == kEndings.end() ? ".bin"sv : found->second;
}

// The last part of an address, if a file can have that name.
std::string NameIn(std::string_view uri) {
  const std::string_view path = uri.substr(0, uri.find_first_of("?#"));
  const std::string name(path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1));
  return name.size() <= kLongestFileName && name.find('.') != std::string::npos && IsSafeName(name)
             ? name
             : std::string();
}

class ResultReader {
 public:
  ResultReader(const RemoteTool& tool, const ResultLimits& limits, std::vector<std::string> taken)
      : tool_(tool), limits_(limits), taken_(std::move(taken)) {}

  ToolOutcomeReport Read(const json::object& result) {
    if (const json::value* content = result.if_contains("content");
        content != nullptr && content->is_array()) {
      for (const json::value& one : content->as_array()) {
        if (const json::object* block = one.if_object()) TakeBlock(*block);
      }
    }
    if (const json::value* structured = result.if_contains("structuredContent")) TakeStructured(*structured);
    const json::value* failed = result.if_contains("isError");
    if (failed != nullptr && failed->is_bool() && failed->as_bool()) {
      report_.error = Error{
          ErrorCode::kToolFailed, "the tool failed: " + std::string(Utf8Prefix(report_.output, 500)), {}};
    } else if (report_.output.empty()) {
      Add("(no output)");
    }
    return std::move(report_);
  }

 private:
  void Add(std::string_view text) {
    if (!report_.output.empty() && !report_.output.ends_with('\n')) report_.output += '\n';
    report_.output += text;
  }

  void TakeBlock(const json::object& block) {
    const std::string type = StringIn(block, "type").value_or("");
    if (type == "text") {
      Add(StringIn(block, "text").value_or(""));
    } else if (type == "image" || type == "audio") {
      TakeBytes(StringIn(block, "data").value_or(""), StringIn(block, "mimeType").value_or(""), {});
    } else if (type == "resource_link") {
      TakeLink(block);
    } else if (const json::object* resource = type == "resource" ? ObjectIn(block, "resource") : nullptr) {
      TakeResource(*resource);
    } else {
      Add(fmt::format("[content of a kind that is not known here: {}]", Utf8Prefix(type, 40)));
    }
  }

  void TakeLink(const json::object& link) {
    std::string text =
        fmt::format("[link: {} {}", StringIn(link, "name").value_or(""), StringIn(link, "uri").value_or(""));
    if (const auto mime = StringIn(link, "mimeType")) text += fmt::format(", {}", *mime);
    if (const auto about = StringIn(link, "description")) text += fmt::format(": {}", *about);
    Add(text + "]");
  }

  void TakeResource(const json::object& resource) {
    const std::string uri = StringIn(resource, "uri").value_or("");
    if (const auto text = StringIn(resource, "text")) {
      Add(fmt::format("[{}]\n{}", uri, *text));
    } else {
      TakeBytes(StringIn(resource, "blob").value_or(""), StringIn(resource, "mimeType").value_or(""), uri);
    }
  }

  void TakeBytes(const std::string& data, const std::string& mime, std::string_view uri) {
    auto bytes = DecodeBase64(data);
    if (!bytes) {
      Add("[left out: bytes that are not base64]");
    } else if (bytes->size() > limits_.file_bytes || report_.left.size() >= limits_.files) {
      Add(fmt::format("[left out: {} of {} bytes, more than is taken]", mime, bytes->size()));
    } else {
      const std::string name = FreeName(NameIn(uri), EndingOf(mime));
      Add(fmt::format("[{} of {} bytes: outputs/{}]", mime.empty() ? "file" : Utf8Prefix(mime, 100),
                      bytes->size(), name));
      report_.left.push_back({name, std::move(*bytes)});
    }
  }

  std::string FreeName(const std::string& wanted, std::string_view ending) {
    std::string stem = wanted.empty() ? std::string() : wanted.substr(0, wanted.rfind('.'));
    const std::string end = wanted.empty() ? std::string(ending) : wanted.substr(wanted.rfind('.'));
    if (stem.empty()) {
      for (const char c : tool_.name.substr(0, kLongestFileName))
        stem +=
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ? c : '_';
      if (stem.front() == '_' || stem.front() == '-') stem.front() = 'x';
    }
    std::string name = wanted.empty() ? stem + "_1" + end : stem + end;
    for (int number = 2; std::ranges::find(taken_, name) != taken_.end(); ++number)
      name = fmt::format("{}_{}{}", stem, number, end);
    taken_.push_back(name);
    return name;
  }

  // Servers should also say it as text; then it is not said twice.
  void TakeStructured(const json::value& structured) {
    const auto said = ParseJson(report_.output);
    if (!said || CanonicalJson(*said) != CanonicalJson(structured)) Add(CompactJson(structured));
    if (tool_.output_schema.empty()) return;
    const auto schema = ParseJson(tool_.output_schema);
    auto loaded = schema ? JsonSchema::Load(*schema) : Result<JsonSchema>(std::unexpected(schema.error()));
    if (!loaded) return;  // a schema that cannot be used here says nothing
    if (const auto issues = loaded->Check(structured); !issues.empty())
      Add(fmt::format("[this result does not fit the tool's own schema: {}]",
                      Utf8Prefix(ToText(issues), 300)));
  }

  const RemoteTool& tool_;
  const ResultLimits& limits_;
  std::vector<std::string> taken_;
  ToolOutcomeReport report_;
};

}  // namespace

ToolOutcomeReport ReadCallResult(const RemoteTool& tool, const json::object& result,
                                 const ResultLimits& limits, std::vector<std::string> taken) {
  return ResultReader(tool, limits, std::move(taken)).Read(result);
}

}  // namespace agenttalk::mcp
