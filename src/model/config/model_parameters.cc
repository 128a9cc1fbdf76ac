#include "model/config/model_parameters.h"

#include <fmt/format.h>

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/reading/object_reader.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

constexpr IntegerRange kTokens{.min = 1, .max = 100'000'000};
constexpr std::size_t kMostStops = 16;
// What the program itself puts into a request.
constexpr std::array kOwnMembers = {"messages"sv, "input"sv,  "instructions"sv, "system"sv,
                                    "tools"sv,    "stream"sv, "model"sv};

void ReadStop(ObjectReader& reader, ModelParameters& parameters) {
  const json::value* value = reader.Value("stop");
  if (value == nullptr) return;
  if (value->is_string()) {
    std::string one;
    if (reader.Text("stop", one)) parameters.stop = {std::move(one)};
    return;
  }
  std::vector<std::string> all;
  if (!reader.Texts(Field("stop").Hint("a text, or a list of texts"), all)) return;
  if (all.size() > kMostStops) {
    reader.Error("stop", ErrorCode::kValueInvalid, fmt::format("more than {} texts", kMostStops));
    return;
  }
  parameters.stop = std::move(all);
}

void ReadThinking(ObjectReader& reader, ModelParameters& parameters) {
  const json::value* value = reader.Value("thinking");
  if (value == nullptr) return;
  if (value->is_bool()) {
    bool on = false;
    if (reader.Boolean("thinking", on)) parameters.thinking = on ? ModelParameters::kThinkingOn : 0;
    return;
  }
  std::int64_t tokens = 0;
  if (reader.Integer(Field("thinking").Hint("true, false, or how many tokens it may take"), kTokens,
                     tokens)) {
    parameters.thinking = tokens;
  }
}

void ReadExtraBody(ObjectReader& reader, ModelParameters& parameters) {
  const json::value* value = reader.Value("extra_body");
  if (value == nullptr) return;
  if (!reader.Object("extra_body", [](ObjectReader& body) {
        body.AllowOthers();
        for (const std::string_view own : kOwnMembers) {
          if (!body.Has(own)) continue;
          body.Error(own, ErrorCode::kValueInvalid, fmt::format("\"{}\" is made by the program", own),
                     "remove it from extra_body");
        }
      })) {
    return;
  }
  parameters.extra_body = CanonicalJson(*value);
}

json::object ObjectIn(const std::string& text) {
  auto value = ParseJson(text);
  return value && value->is_object() ? std::move(value->get_object()) : json::object();
}

void AddLater(json::object& object, const ModelParameters& parameters) {
  if (parameters.top_p) object["top_p"] = *parameters.top_p;
  if (parameters.seed) object["seed"] = *parameters.seed;
  if (!parameters.stop.empty()) {
    object["stop"] = json::array(parameters.stop.begin(), parameters.stop.end());
  }
  if (!parameters.reasoning_effort.empty()) object["reasoning_effort"] = parameters.reasoning_effort;
  if (parameters.thinking == 0 || parameters.thinking == ModelParameters::kThinkingOn) {
    object["thinking"] = parameters.thinking != 0;
  } else if (parameters.thinking) {
    object["thinking"] = *parameters.thinking;
  }
  if (parameters.num_ctx != 0) object["num_ctx"] = parameters.num_ctx;
  if (!parameters.tool_choice.empty()) object["tool_choice"] = parameters.tool_choice;
  if (!parameters.extra_body.empty()) object["extra_body"] = ObjectIn(parameters.extra_body);
}

}  // namespace

ModelParameters Over(ModelParameters own, const ModelParameters& base) {
  if (own.max_tokens == 0) own.max_tokens = base.max_tokens;
  if (!own.temperature) own.temperature = base.temperature;
  if (!own.top_p) own.top_p = base.top_p;
  if (!own.seed) own.seed = base.seed;
  if (own.stop.empty()) own.stop = base.stop;
  if (own.reasoning_effort.empty()) own.reasoning_effort = base.reasoning_effort;
  if (!own.thinking) own.thinking = base.thinking;
  if (own.num_ctx == 0) own.num_ctx = base.num_ctx;
  if (own.tool_choice.empty()) own.tool_choice = base.tool_choice;
  if (own.extra_body.empty()) {
    own.extra_body = base.extra_body;
  } else if (!base.extra_body.empty()) {
    json::object joined = ObjectIn(base.extra_body);
    for (auto& member : ObjectIn(own.extra_body)) joined[member.key()] = std::move(member.value());
    own.extra_body = CanonicalJson(joined);
  }
  return own;
}

void ReadParameters(ObjectReader& reader, ModelParameters& parameters) {
  double number = 0;
  std::int64_t integer = 0;
  reader.Integer("max_tokens", {.min = 1, .max = 1'000'000}, parameters.max_tokens);
  if (reader.Number("temperature", {.min = 0, .max = 2}, number)) parameters.temperature = number;
  if (reader.Number("top_p", {.min = 0, .max = 1}, number)) parameters.top_p = number;
  if (reader.Integer("seed", {}, integer)) parameters.seed = integer;
  ReadStop(reader, parameters);
  reader.Name(Field("reasoning_effort").Hint("e.g. low, medium, high"), parameters.reasoning_effort);
  ReadThinking(reader, parameters);
  reader.Integer("num_ctx", kTokens, parameters.num_ctx);
  reader.Name(Field("tool_choice").Hint("auto, none, required, or the name of a tool"),
              parameters.tool_choice);
  ReadExtraBody(reader, parameters);
}

void ReadParameterBlock(ObjectReader& reader, ModelParameters& parameters) {
  reader.Object("parameters", [&](ObjectReader& block) {
    block.RefuseOthers();
    ReadParameters(block, parameters);
  });
}

void AddParameters(json::object& object, const ModelParameters& parameters) {
  if (parameters.max_tokens != 0) object["max_tokens"] = parameters.max_tokens;
  if (parameters.temperature) object["temperature"] = *parameters.temperature;
  AddLater(object, parameters);
}

std::string ParametersText(const ModelParameters& parameters) {
  json::object object;
  AddParameters(object, parameters);
  return object.empty() ? std::string() : CanonicalJson(object);
}

ModelParameters ParseParameters(std::string_view text) {
  ModelParameters parameters;
  if (text.empty()) return parameters;
  const auto value = ParseJson(text);
  Issues ignored;
  if (value) ReadObject(*value, ignored, [&](ObjectReader& reader) { ReadParameters(reader, parameters); });
  return parameters;
}

std::string LaterParameters(const ModelParameters& parameters) {
  json::object object;
  AddLater(object, parameters);
  return object.empty() ? std::string() : CanonicalJson(object);
}

}  // namespace agenttalk
