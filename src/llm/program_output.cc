#include "llm/program_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/redact.h"
#include "base/surrogates.h"
#include "base/utf8.h"
#include "llm/json_access.h"
#include "llm/model_errors.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kShownOfOutput = 300;

std::optional<json::value> ParseValue(std::string_view text) {
  auto value = ParseModelJson(text, {.max_bytes = text.size()});
  if (!value) return std::nullopt;
  return std::move(*value);
}

void AddValue(json::value value, std::vector<json::value>& values) {
  if (json::array* list = value.if_array()) {
    for (json::value& item : *list) values.push_back(std::move(item));
  } else {
    values.push_back(std::move(value));
  }
}

// Everything that was printed as JSON, in order; the items of a list one by one.
std::vector<json::value> PrintedValues(std::string_view out) {
  std::vector<json::value> values;
  if (auto whole = ParseValue(out)) {
    AddValue(std::move(*whole), values);
    return values;
  }
  while (!out.empty()) {
    const std::size_t end = std::min(out.find('\n'), out.size());
    const std::string_view line = out.substr(0, end);
    out.remove_prefix(std::min(end + 1, out.size()));
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos || (line[start] != '{' && line[start] != '[')) continue;
    if (auto value = ParseValue(line)) AddValue(std::move(*value), values);
  }
  return values;
}

const json::value* FindAt(const json::value& value, const std::string& pointer) {
  boost::system::error_code missing;
  return value.find_pointer(pointer, missing);
}

// What a model thought is no answer, also where it stands at the same place.
bool IsThought(const json::value& value, const std::string& pointer) {
  const std::size_t end = pointer.rfind('/');
  const json::value* around = end == std::string::npos ? nullptr : FindAt(value, pointer.substr(0, end));
  const json::object* object = around == nullptr ? nullptr : around->if_object();
  if (object == nullptr) return false;
  const std::string_view type = TextAt(*object, "type");
  return type == "reasoning" || type == "thinking";
}

std::string Tail(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  text = text.substr(text.size() - std::min(text.size(), kShownOfOutput));
  std::string shown = WithoutControls(ToValidUtf8(text));
  std::ranges::replace(shown, '\n', ' ');
  return Redact(shown);
}

std::string MessageIn(const json::value& value) {
  if (const json::string* text = value.if_string()) return std::string(*text);
  const json::object* object = value.if_object();
  if (object == nullptr) return {};
  for (const char* key : {"message", "data", "error"}) {
    if (const json::value* inner = object->if_contains(key)) {
      if (std::string found = MessageIn(*inner); !found.empty()) return found;
    }
  }
  return {};
}

// What a value says went wrong; nothing: it reports no error.
std::optional<std::string> ErrorIn(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return std::nullopt;
  const std::string_view type = TextAt(*object, "type");
  const json::value* failed = object->if_contains("is_error");
  const json::value* error = object->if_contains("error");
  const bool is_error = failed != nullptr && failed->is_bool() && failed->get_bool();
  if (!is_error && type != "error" && type != "turn.failed" && (error == nullptr || error->is_null())) {
    return std::nullopt;
  }
  std::string said = error == nullptr ? std::string() : MessageIn(*error);
  if (said.empty()) said = TextAt(*object, "message");
  if (said.empty()) said = TextAt(*object, "result");
  if (said.empty()) said = TextAt(*object, "subtype");
  return said.empty() ? json::serialize(value) : said;
}

std::optional<double> NumberAt(const json::object& object, std::string_view key) {
  const json::value* found = object.if_contains(key);
  return found == nullptr ? std::nullopt : AsDouble(*found);
}

// One vendor counts what came from a cache apart from the input, others as a part of it.
bool ReadCounts(const json::object& counts, Usage& usage) {
  Usage read;
  std::uint64_t total = 0;
  for (const char* key : {"input_tokens", "prompt_tokens", "input"})
    ReadCount(counts, key, read.input_tokens);
  for (const char* key : {"output_tokens", "completion_tokens", "output"}) {
    ReadCount(counts, key, read.output_tokens);
  }
  ReadCount(counts, "total_tokens", total);
  ReadCount(counts, "cache_read_input_tokens", read.cache_read_tokens);
  ReadCount(counts, "cache_creation_input_tokens", read.cache_write_tokens);
  if (const json::object* cache = ObjectAt(counts, "cache")) {
    ReadCount(*cache, "read", read.cache_read_tokens);
    ReadCount(*cache, "write", read.cache_write_tokens);
  }
  if (read.input_tokens + read.output_tokens == 0) return false;
  const bool apart = total == 0 || total > read.input_tokens + read.output_tokens;
  if (apart) read.input_tokens += read.cache_read_tokens + read.cache_write_tokens;
  ReadCount(counts, "cached_input_tokens", read.cache_read_tokens);
  usage.input_tokens += read.input_tokens;
  usage.output_tokens += read.output_tokens;
  usage.cache_read_tokens += read.cache_read_tokens;
  usage.cache_write_tokens += read.cache_write_tokens;
  return true;
}

// The sum that the last value gives; where none does, what every step says of itself.
void ReadSpending(const std::vector<json::value>& values, ModelAnswer& answer) {
  bool counted = false;
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    const json::object* object = value->if_object();
    if (object == nullptr) continue;
    const json::object* usage = ObjectAt(*object, "usage");
    if (!counted && usage != nullptr) counted = ReadCounts(*usage, answer.usage);
    if (!answer.cost_usd) answer.cost_usd = NumberAt(*object, "total_cost_usd");
  }
  for (const json::value& value : values) {
    const json::object* object = value.if_object();
    const json::object* part = object == nullptr ? nullptr : ObjectAt(*object, "part");
    if (part == nullptr) continue;
    const json::object* tokens = ObjectAt(*part, "tokens");
    if (!counted && tokens != nullptr) ReadCounts(*tokens, answer.usage);
    if (const auto cost = NumberAt(*part, "cost")) answer.cost_usd = answer.cost_usd.value_or(0) + *cost;
  }
  if (answer.cost_usd && !(*answer.cost_usd >= 0)) answer.cost_usd.reset();
}

}  // namespace

ModelOutcome ReadProgramAnswer(std::string_view out, const std::string& answer_at) {
  ModelAnswer answer;
  if (answer_at.empty()) {
    answer.text = ToValidUtf8(out);
    return answer;
  }
  const std::vector<json::value> values = PrintedValues(out);
  const json::value* found = nullptr;
  std::optional<json::value> whole;
  for (auto value = values.rbegin(); value != values.rend() && found == nullptr; ++value) {
    if (const auto error = ErrorIn(*value)) {
      return std::unexpected(BadResponse("the program reports an error: " + Tail(*error), true));
    }
    found = IsThought(*value, answer_at) ? nullptr : FindAt(*value, answer_at);
  }
  if (found == nullptr && values.size() > 1) {  // the pointer may lead through the list itself
    whole = ParseValue(out);
    if (whole) found = FindAt(*whole, answer_at);
  }
  if (found == nullptr) {
    return std::unexpected(
        BadResponse(fmt::format("the program printed nothing at {}: {}", answer_at, Tail(out)), true));
  }
  answer.text = found->is_string() ? std::string(found->get_string()) : json::serialize(*found);
  ReadSpending(values, answer);
  return answer;
}

std::string ProgramFailure(std::string_view out, std::string_view err) {
  const std::vector<json::value> values = PrintedValues(out);
  for (auto value = values.rbegin(); value != values.rend(); ++value) {
    if (const auto error = ErrorIn(*value)) return Tail(*error);
  }
  const std::string printed = Tail(out);
  const std::string warned = Tail(err);
  if (printed.empty() || warned.empty()) return printed.empty() ? warned : printed;
  return fmt::format("{} (on its error stream: {})", printed, warned);
}

}  // namespace agenttalk
