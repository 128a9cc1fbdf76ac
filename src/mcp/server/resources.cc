#include "mcp/server/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
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
#include "base/utf8.h"
#include "mcp/message.h"
#include "mcp/protocol.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::string_view kPlans = "agenttalk://plans/";
constexpr std::string_view kFiles = "/files/";
constexpr std::string_view kVersion = "?version=";
constexpr std::size_t kShownPlans = 10;  // whose outputs are listed
constexpr std::size_t kShownFiles = 50;  // of each
constexpr std::size_t kLargestFile = std::size_t{8} << 20U;
constexpr std::uint64_t kListLife = 1000;
constexpr std::uint64_t kTemplateLife = 3'600'000;

bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (IsPlain(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::optional<std::string> Unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned byte = 0;
    if (i + 2 >= text.size()) return std::nullopt;
    const char* end = text.data() + i + 3;
    if (std::from_chars(text.data() + i + 1, end, byte, 16).ptr != end) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

std::string_view TypeOf(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kTypes = {{
      {".md", "text/markdown"},
      {".txt", "text/plain"},
      {".json", "application/json"},
      {".yaml", "application/yaml"},
      {".yml", "application/yaml"},
      {".csv", "text/csv"},
      {".html", "text/html"},
      {".py", "text/x-python"},
      {".png", "image/png"},
      {".jpg", "image/jpeg"},
      {".jpeg", "image/jpeg"},
      {".gif", "image/gif"},
      {".webp", "image/webp"},
      {".pdf", "application/pdf"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  return {};
}

// The outputs of the newest plans, one plan after the other.
struct Listing {
  std::shared_ptr<HubCalls> hub;
  std::shared_ptr<Exchange> exchange;
  std::vector<std::string> plans;
  json::array found = {};
};

void ListNext(const std::shared_ptr<Listing>& listing) {
  if (listing->exchange->over()) return;
  if (listing->plans.empty()) {
    listing->exchange->AnswerCacheable({{"resources", std::move(listing->found)}}, kListLife);
    return;
  }
  const std::string plan = std::move(listing->plans.back());
  listing->plans.pop_back();
  listing->hub->Call(
      "show", {{"plan_id", plan}, {"rows", kShownFiles}}, [listing, plan](const Result<json::value>& shown) {
        const json::object* object = shown ? shown->if_object() : nullptr;
        const json::value* outputs = object == nullptr ? nullptr : object->if_contains("deliverables");
        if (outputs != nullptr && outputs->is_array()) {
          for (const json::value& file : outputs->as_array())
            listing->found.push_back(ResourceJson(plan, file.as_object()));
        }
        ListNext(listing);
      });
}

void NotFound(Exchange& exchange, const std::string& uri, std::string message) {
  exchange.Fail(exchange.era() == Era::kModern ? kInvalidParams : kResourceNotFound, std::move(message),
                json::object{{"uri", uri}});
}

json::object ContentsOf(const std::string& uri, const std::string& name, std::string bytes) {
  json::object contents{{"uri", uri}};
  const std::string_view type = TypeOf(name);
  if (IsUtf8(bytes) && !bytes.contains('\0')) {
    contents["mimeType"] = type.empty() ? "text/plain" : type;
    contents["text"] = std::move(bytes);
  } else {
    contents["mimeType"] = type.empty() ? "application/octet-stream" : type;
    contents["blob"] = EncodeBase64(bytes);
  }
  return contents;
}

void AnswerFile(Exchange& exchange, const std::string& uri, const ResourceName& name,
                const Result<json::value>& file) {
  if (!file) return NotFound(exchange, uri, file.error().message);
  const std::string_view encoded(file->at("content_base64").as_string());
  if (encoded.size() / 4 * 3 > kLargestFile) {
    exchange.Fail(kInternalError,
                  fmt::format("{} is larger than 8 MiB; `agenttalk show {} --file {}` writes it", name.file,
                              name.plan, name.file));
    return;
  }
  json::array contents{ContentsOf(uri, name.file, DecodeBase64(encoded).value_or(std::string()))};
  // A version never changes; the newest may.
  exchange.AnswerCacheable({{"contents", std::move(contents)}},
                           name.version.empty() ? kListLife : kTemplateLife);
}

}  // namespace

std::string UriOf(const ResourceName& name) {
  std::string uri = fmt::format("{}{}{}{}", kPlans, Escaped(name.plan), kFiles, Escaped(name.file));
  if (!name.version.empty()) uri += fmt::format("{}{}", kVersion, Escaped(name.version));
  return uri;
}

std::optional<ResourceName> ParseUri(std::string_view uri) {
  if (!uri.starts_with(kPlans)) return std::nullopt;
  uri.remove_prefix(kPlans.size());
  const std::size_t files = uri.find(kFiles);
  if (files == std::string_view::npos) return std::nullopt;
  const auto plan = Unescaped(uri.substr(0, files));
  uri.remove_prefix(files + kFiles.size());
  const std::size_t version = uri.find(kVersion);
  const auto file = Unescaped(uri.substr(0, version));
  const auto which = version == std::string_view::npos ? std::optional<std::string>(std::string())
                                                       : Unescaped(uri.substr(version + kVersion.size()));
  if (!plan || !IsSafeName(*plan) || !file || file->empty() || !IsUtf8(*file) || !which || !IsUtf8(*which))
    return std::nullopt;
  return ResourceName{*plan, *file, *which};
}

json::object ResourceJson(std::string_view plan, const json::object& file) {
  constexpr std::size_t kDigits = 16;  // of the hash, which are enough to name a version
  const std::string name = StringIn(file, "name").value_or(std::string());
  const std::string hash = StringIn(file, "sha256").value_or(std::string()).substr(0, kDigits);
  json::object resource{{"uri", UriOf({std::string(plan), name, hash})}, {"name", name}};
  if (const std::string_view type = TypeOf(name); !type.empty()) resource["mimeType"] = type;
  if (const json::value* size = file.if_contains("size")) resource["size"] = *size;
  resource["description"] = fmt::format("{} of {}", name, plan);
  return resource;
}

json::object ResourceLink(std::string_view plan, const json::object& file) {
  json::object link{{"type", "resource_link"}};
  for (auto& member : ResourceJson(plan, file)) link[member.key()] = std::move(member.value());
  return link;
}

void ListResources(const std::shared_ptr<HubCalls>& hub, const std::shared_ptr<Exchange>& exchange) {
  hub->Call("plans", {{"limit", kShownPlans}}, [hub, exchange](const Result<json::value>& plans) {
    if (!plans) return exchange->Fail(kInternalError, plans.error().message);
    auto listing = std::make_shared<Listing>(hub, exchange);
    for (const json::value& plan : plans->as_array())
      listing->plans.emplace_back(plan.at("plan_id").as_string());
    std::ranges::reverse(listing->plans);  // taken from the back
    ListNext(listing);
  });
}

void ListResourceTemplates(Exchange& exchange) {
  exchange.AnswerCacheable(
      {{"resourceTemplates",
        json::array{json::object{{"uriTemplate", "agenttalk://plans/{plan_id}/files/{name}"},
                                 {"name", "file"},
                                 {"title", "A file of a plan"},
                                 {"description", "The newest version of an input or output of a plan."}}}}},
      kTemplateLife);
}

void ReadResource(const std::shared_ptr<HubCalls>& hub, const std::shared_ptr<Exchange>& exchange,
                  const std::string& uri) {
  const auto name = ParseUri(uri);
  if (!name) return NotFound(*exchange, uri, "there is no such resource");
  json::object parameters{{"plan_id", name->plan}, {"name", name->file}};
  if (!name->version.empty()) parameters["version"] = name->version;
  hub->Call("file", std::move(parameters), [exchange, uri, name = *name](const Result<json::value>& file) {
    AnswerFile(*exchange, uri, name, file);
  });
}

}  // namespace agenttalk::mcp
