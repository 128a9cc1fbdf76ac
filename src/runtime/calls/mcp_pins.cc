#include "runtime/calls/mcp_pins.h"

#include <boost/json.hpp>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "journal/durable_file.h"
#include "runtime/hub_home.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kLargestPins = std::size_t{16} << 20U;
constexpr std::size_t kLongestShown = 500;

std::string TextIn(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

fs::file_time_type WrittenAt(const fs::path& file) {
  std::error_code none;
  const auto time = fs::last_write_time(file, none);
  return none ? fs::file_time_type{} : time;
}

}  // namespace

McpPins::McpPins(const fs::path& hub) : file_(HomeOf(hub) / "mcp_tools.json") {
  Load();
}

void McpPins::Load() {
  pins_.clear();
  changed_ = false;
  written_ = WrittenAt(file_);
  const auto text = ReadFileUpTo(file_, kLargestPins);
  const auto value = text ? ParseJson(*text, {.max_bytes = kLargestPins}) : std::unexpected(text.error());
  if (!value || !value->is_object()) return;
  for (const auto& server : value->as_object()) {
    if (!server.value().is_object()) continue;
    for (const auto& tool : server.value().as_object()) {
      if (!tool.value().is_object()) continue;
      const json::object& pin = tool.value().as_object();
      pins_[{server.key(), tool.key()}] = {TextIn(pin, "digest"), TextIn(pin, "seen"),
                                           TextIn(pin, "description")};
    }
  }
}

bool McpPins::IsStale() const {
  return WrittenAt(file_) != written_;
}

McpPins::Verdict McpPins::Judge(const std::string& server, const std::string& tool, const std::string& digest,
                                const std::string& description) {
  const auto [found, is_new] = pins_.try_emplace({server, tool}, Pin{digest});
  Pin& pin = found->second;
  if (is_new) {
    changed_ = true;
    return Verdict::kNew;
  }
  if (pin.digest == digest) {
    changed_ = changed_ || !pin.seen.empty();
    pin.seen.clear();
    pin.description.clear();
    return Verdict::kSame;
  }
  if (pin.seen != digest) {
    changed_ = true;
    pin.seen = digest;
    pin.description = Utf8Prefix(description, kLongestShown);
  }
  return Verdict::kChanged;
}

std::vector<McpPins::Change> McpPins::Changes() const {
  std::vector<Change> changes;
  for (const auto& [name, pin] : pins_) {
    if (!pin.seen.empty()) changes.push_back({name.first, name.second, pin.description});
  }
  return changes;
}

std::vector<McpPins::Known> McpPins::All() const {
  std::vector<Known> all;
  for (const auto& [name, pin] : pins_) all.push_back({name.first, name.second, !pin.seen.empty()});
  return all;
}

void McpPins::AcceptChanges() {
  for (auto& [name, pin] : pins_) {
    if (pin.seen.empty()) continue;
    pin = Pin{pin.seen};
    changed_ = true;
  }
}

Result<void> McpPins::Save() {
  std::error_code none;
  // A hub that was never run keeps nothing yet; whoever only looks does not begin it.
  if (!changed_ || !fs::exists(file_.parent_path(), none)) return {};
  changed_ = false;
  json::object servers;
  for (const auto& [name, pin] : pins_) {
    json::value& server = servers[name.first];
    if (!server.is_object()) server = json::object();
    json::object one{{"digest", pin.digest}};
    if (!pin.seen.empty()) {
      one["seen"] = pin.seen;
      one["description"] = pin.description;
    }
    server.as_object()[name.second] = std::move(one);
  }
  TRY(WriteFileDurably(file_.string() + ".tmp", file_, PrettyJson(servers)));
  written_ = WrittenAt(file_);
  return {};
}

}  // namespace agenttalk
