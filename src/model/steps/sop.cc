#include "model/steps/sop.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/embedded_file.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/json.h"
#include "model/config/agent_profile.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/strictness.h"
#include "model/reading/yaml_document.h"
#include "model/steps/internal_plan.h"
#include "model/steps/step_reference.h"

namespace agenttalk {

std::span<const EmbeddedFile> EmbeddedSops();

namespace {

namespace json = boost::json;

// ASCII letters alone; other scripts are compared as they are.
std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(c < 0x80 ? std::tolower(c) : c); });
  return lower;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

void ReadMatch(ObjectReader& reader, SopMatch& match) {
  reader.Texts("keywords", match.keywords);
  reader.Texts("prompts", match.prompts);
  reader.Texts("tasks", match.tasks);
  reader.Texts("capabilities", match.capabilities);
}

std::vector<std::string> ReadParameters(ObjectReader& reader, Sop& sop) {
  std::vector<std::string> names;
  reader.Members("parameters", [&](const std::string& name, ObjectReader& parameter) {
    if (!IsSafeName(name)) {
      parameter.Error("", ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot be a parameter's name", name));
      return;
    }
    std::string text;
    parameter.String("description", text);
    std::optional<std::string> standard;
    if (parameter.String("default", text)) standard = text;
    sop.parameters.emplace(name, std::move(standard));
    names.push_back(name);
  });
  return names;
}

bool AnyGlob(const std::vector<std::string>& globs, std::string_view text) {
  return std::ranges::any_of(globs,
                             [&](const std::string& pattern) { return WildcardMatches(pattern, text); });
}

// The value of a line `name: value`.
std::optional<std::string> LineValue(std::string_view prompt, std::string_view name) {
  while (!prompt.empty()) {
    const std::size_t end = std::min(prompt.find('\n'), prompt.size());
    const std::string_view line = Trim(prompt.substr(0, end));
    prompt.remove_prefix(std::min(end + 1, prompt.size()));
    if (!line.starts_with(name)) continue;
    const std::string_view rest = Trim(line.substr(name.size()));
    if (rest.starts_with(':')) return std::string(Trim(rest.substr(1)));
  }
  return std::nullopt;
}

json::array TextArray(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

}  // namespace

Checked<Sop> ReadSop(const json::value& value) {
  Checked<Sop> checked;
  Sop sop;
  ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    reader.Name(Field("name").Required(), sop.name);
    reader.Text(Field("description").Required(), sop.description);
    reader.Object(Field("match").Required(), [&](ObjectReader& match) { ReadMatch(match, sop.match); });
    if (reader.Has("match") && sop.match == SopMatch{} && !reader.Failed("match"))
      reader.Error("match", ErrorCode::kFieldMissing, "the procedure would match every task",
                   "give keywords, prompts, tasks or capabilities");
    const std::vector<std::string> parameters = ReadParameters(reader, sop);
    sop.plan.strategy = Strategy::kTemplate;
    ReadSteps(reader, parameters, sop.plan);
  });
  if (checked.issues.ok()) checked.value = std::move(sop);
  return checked;
}

Checked<Sop> ParseSop(std::string_view yaml) {
  const auto document = ParseYaml(yaml);
  if (!document) {
    Checked<Sop> refused;
    refused.issues.errors.push_back(document.error());
    return refused;
  }
  Checked<Sop> checked = ReadSop(document->root());
  RefuseUnknownNames(checked);
  document->AddLines(checked.issues);
  return checked;
}

json::value ToJson(const Sop& sop) {
  json::object match;
  const auto add = [&](const char* key, const std::vector<std::string>& texts) {
    if (!texts.empty()) match[key] = TextArray(texts);
  };
  add("keywords", sop.match.keywords);
  add("prompts", sop.match.prompts);
  add("tasks", sop.match.tasks);
  add("capabilities", sop.match.capabilities);
  json::object parameters;
  for (const auto& [name, standard] : sop.parameters) {
    json::object one;
    if (standard) one["default"] = *standard;
    parameters[name] = std::move(one);
  }
  json::object object{{"name", sop.name}, {"description", sop.description}, {"match", std::move(match)}};
  if (!parameters.empty()) object["parameters"] = std::move(parameters);
  object["steps"] = ToJson(sop.plan).get_object().at("steps");
  return object;
}

std::string ToText(std::span<const Sop> sops) {
  json::array all;
  for (const Sop& sop : sops) all.push_back(ToJson(sop));
  return CanonicalJson(all);
}

std::vector<Sop> ParseSops(std::string_view text) {
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  std::vector<Sop> sops;
  const auto value = ParseJson(text, {.max_bytes = kLargest});
  if (!value || !value->is_array()) return sops;
  for (const json::value& item : value->get_array()) {
    Checked<Sop> one = ReadSop(item);
    if (one) sops.push_back(*std::move(one.value));
  }
  return sops;
}

bool Matches(const Sop& sop, const SopSubject& subject) {
  const SopMatch& match = sop.match;
  const std::string prompt = Lower(subject.prompt);
  const bool has_word = std::ranges::any_of(
      match.keywords, [&](const std::string& word) { return prompt.find(Lower(word)) != std::string::npos; });
  if (!match.keywords.empty() && !has_word) return false;
  if (!match.prompts.empty() && !AnyGlob(match.prompts, subject.prompt)) return false;
  if (!match.tasks.empty() && !AnyGlob(match.tasks, subject.task)) return false;
  return std::ranges::all_of(match.capabilities, [&](const std::string& capability) {
    return std::ranges::find(subject.capabilities, capability) != subject.capabilities.end();
  });
}

std::optional<InternalPlan> Instantiate(const Sop& sop, std::string_view prompt) {
  std::map<std::string, std::string> values;
  for (const auto& [name, standard] : sop.parameters) {
    std::optional<std::string> value = LineValue(prompt, name);
    if (!value) value = standard;
    if (!value) return std::nullopt;
    values.emplace(name, std::move(*value));
  }
  const auto lookup = [&](const StepReference& reference) -> std::optional<ReferredText> {
    if (reference.owner != "parameters") return std::nullopt;
    return ReferredText{values.at(reference.field), false};
  };
  InternalPlan plan = sop.plan;
  for (PlanStep& step : plan.steps) {
    auto params = ParseJson(step.params);
    CHECK(params);
    Substitute(*params, lookup, true);
    step.params = CanonicalJson(*params);
  }
  return plan;
}

const std::vector<Sop>& ShippedSops() {
  static const std::vector<Sop> sops = [] {
    std::vector<Sop> made;
    for (const EmbeddedFile& file : EmbeddedSops()) {
      Checked<Sop> sop = ParseSop(file.content);
      CHECK(sop);
      made.push_back(*std::move(sop.value));
    }
    return made;
  }();
  return sops;
}

}  // namespace agenttalk
