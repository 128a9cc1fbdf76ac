#include "model/config/provider_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/suggestion.h"
#include "base/time.h"
#include "model/config/base_url.h"
#include "model/config/hub_config.h"
#include "model/config/hub_config_spellings.h"
#include "model/config/model_parameters.h"
#include "model/config/preset_table.h"
#include "model/reading/object_reader.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

constexpr NumberRange kPriceRange{.min = 0, .max = 1e12};
constexpr IntegerRange kPerMinute{.min = 0, .max = 1'000'000'000};
constexpr Duration kLongestPeriod = std::chrono::hours(24 * 3650);
constexpr const char* kKeyHint =
    "put the key into an environment variable and its name into api_key_env, or into a file and its path "
    "into api_key_file";

void ReadPrices(ObjectReader& reader, ProviderConfig& provider) {
  reader.Object("prices", [&](ObjectReader& object) {
    object.RefuseOthers();
    TokenPrices prices;
    double price = 0;
    object.Number(Field("input").Required(), kPriceRange, prices.input);
    object.Number(Field("output").Required(), kPriceRange, prices.output);
    if (object.Number("cache_read", kPriceRange, price)) prices.cache_read = price;
    if (object.Number("cache_write", kPriceRange, price)) prices.cache_write = price;
    provider.prices = prices;
  });
}

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

void ReadHeader(ObjectReader& headers, std::string_view name, ProviderConfig& provider) {
  constexpr std::array kOwn = {"host"sv, "content-length"sv, "content-type"sv, "transfer-encoding"sv};
  constexpr std::array kSecret = {"authorization"sv, "x-api-key"sv, "api-key"sv, "proxy-authorization"sv};
  const std::string lower = LowerCase(name);
  std::string value;
  if (!headers.String(name, value)) return;
  if (!IsHeaderName(name) || std::ranges::find(kOwn, lower) != kOwn.end()) {
    headers.Error(name, ErrorCode::kValueInvalid, "this header cannot be set");
  } else if (std::ranges::any_of(value,
                                 [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; })) {
    headers.Error(name, ErrorCode::kValueInvalid, "a header's value is one line of text");
  } else if (std::ranges::find(kSecret, lower) != kSecret.end() && value.find("${") == std::string::npos) {
    headers.Error(name, ErrorCode::kValueInvalid, "keys do not belong into this file",
                  "put the key into an environment variable, and write \"${NAME}\"");
  } else {
    provider.headers[lower] = std::move(value);
  }
}

void ReadServerFields(ObjectReader& reader, ProviderConfig& provider) {
  if (reader.Text("base_url", provider.base_url) && provider.base_url.find("${") == std::string::npos) {
    if (const auto problem = CheckBaseUrl(provider.kind, provider.base_url)) {
      reader.Error("base_url", ErrorCode::kValueInvalid, problem->message, problem->hint);
    }
  }
  reader.Name(Field("api_key_env").Hint("the name of an environment variable"), provider.api_key_env);
  ReadPath(reader, "api_key_file", provider.api_key_file);
  ReadPath(reader, "ca_file", provider.ca_file);
  reader.Object("headers", [&](ObjectReader& headers) {
    headers.AllowOthers();
    for (const auto& header : headers.object()) ReadHeader(headers, header.key(), provider);
  });
  reader.Boolean("stream", provider.stream);
  ReadPositivePeriod(reader, "idle_timeout", provider.idle_timeout);
  if (provider.kind == ProviderKind::kOpenai) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kNames = {
        {{"max_tokens", "max_tokens"}, {"max_completion_tokens", "max_completion_tokens"}}};
    std::string_view chosen;
    if (reader.Choice<std::string_view>("max_tokens_as", kNames, chosen)) provider.max_tokens_as = chosen;
  }
}

void ReadProgramFields(ObjectReader& reader, ProviderConfig& provider) {
  reader.Strings(Field("argv").Required().Hint("argv: [program, argument, …]"), provider.argv);
  if (!reader.Failed("argv") && (provider.argv.empty() || provider.argv.front().empty())) {
    reader.Error("argv", ErrorCode::kValueInvalid, "names no program", "argv: [program, argument, …]");
  }
  reader.Strings(Field("env").Hint("names of environment variables"), provider.env);
  reader.Strings(Field("model_argv").Hint("e.g. [--model, \"{model}\"]"), provider.model_argv);
  reader.Choice<PromptVia>("prompt_via", kPromptVias, provider.prompt_via);
  if (reader.String("answer_at", provider.answer_at) && !provider.answer_at.empty() &&
      !provider.answer_at.starts_with('/')) {
    reader.Error("answer_at", ErrorCode::kValueInvalid, "must be a JSON Pointer", "e.g. /result");
  }
}

void ReadKindFields(ObjectReader& reader, ProviderConfig& provider) {
  if (provider.kind == ProviderKind::kExec) {
    ReadProgramFields(reader, provider);
    return;
  }
  if (provider.kind == ProviderKind::kScripted) {
    ReadPath(reader, "answers", provider.answers);
    return;
  }
  ReadParameters(reader, provider.parameters);
  // In an agent or a task they are left out, for it may be asked of several providers; here nothing would
  // come of them.
  for (const std::string_view name : ProviderRow(provider.kind).unsupported) {
    if (name.empty() || !reader.Has(name)) continue;
    reader.Error(name, ErrorCode::kValueInvalid,
                 fmt::format("the protocol of {} has no {}", ToString(provider.kind), name),
                 "leave it out, or write what the server calls it into extra_body");
  }
  ReadServerFields(reader, provider);
}

void ReadSettings(ObjectReader& reader, ProviderConfig& provider) {
  const bool has_kind = reader.Choice<ProviderKind>(Field("kind").Required().Hint("or name a preset"),
                                                    kProviderKinds, provider.kind);
  reader.Text("model", provider.model);
  if (reader.Has("api_key")) {
    reader.Error("api_key", ErrorCode::kValueInvalid, "keys do not belong into this file", kKeyHint);
  }
  ReadPositivePeriod(reader, "timeout", provider.timeout);
  std::uint32_t retries = 0;
  if (reader.Integer("max_retries", {.min = 0, .max = 100}, retries)) provider.max_retries = retries;
  reader.Integer("requests_per_minute", kPerMinute, provider.requests_per_minute);
  reader.Integer("tokens_per_minute", kPerMinute, provider.tokens_per_minute);
  reader.Boolean("structured_output", provider.structured_output);
  reader.Boolean("native_tools", provider.native_tools);
  ReadPrices(reader, provider);
  reader.RefuseOthers();
  if (has_kind) {
    ReadKindFields(reader, provider);
  } else {
    reader.AllowOthers();
  }
}

}  // namespace

void ReadPath(ObjectReader& reader, std::string_view key, std::string& path) {
  if (!reader.Text(key, path)) return;
  if (path.find("..") != std::string_view::npos || path.find('\0') != std::string_view::npos) {
    reader.Error(key, ErrorCode::kNameUnsafe, "the path leaves the hub", "write it without \"..\"");
  }
}

void ReadPositivePeriod(ObjectReader& reader, std::string_view key, Duration& period) {
  Duration read{};
  if (!reader.Period(key, read)) return;
  if (read <= Duration::zero() || read > kLongestPeriod) {
    reader.Error(key, ErrorCode::kValueInvalid, "must be more than nothing and at most ten years");
    return;
  }
  period = read;
}

void ReadProvider(ObjectReader& reader, const PresetTable& presets, ProviderConfig& provider) {
  std::string name;
  if (!reader.Name("preset", name)) {
    ReadSettings(reader, provider);
    return;
  }
  reader.AllowOthers();
  const json::value* kind = reader.object().if_contains("kind");
  const bool program = kind != nullptr && kind->is_string() && kind->get_string() == "exec";
  const json::object* preset = presets.Find(name, program);
  if (preset == nullptr) {
    reader.Error("preset", ErrorCode::kValueInvalid, fmt::format("there is no preset \"{}\"", name),
                 DidYouMean(name, presets.Names()));
    return;
  }
  json::object joined = *preset;
  for (const auto& member : reader.object()) {
    if (member.key() != "preset") joined[member.key()] = member.value();
  }
  ObjectReader settings(joined, {.root = reader.Pointer()}, reader.issues());
  ReadSettings(settings, provider);
  settings.Finish();
}

}  // namespace agenttalk
