#include "model/config/agent_profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/suggestion.h"
#include "base/time.h"
#include "model/config/agent_profile_reader.h"
#include "model/config/known_names.h"
#include "model/config/tool_names.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/parsed_text.h"
#include "model/reading/spelling.h"
#include "model/reading/strictness.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr Spellings<AgentRuntime, 2> kRuntimes{
    {{"builtin", AgentRuntime::kBuiltin}, {"external", AgentRuntime::kExternal}}};
constexpr Spellings<Strategy, 4> kStrategies{{{"simple", Strategy::kSimple},
                                              {"template", Strategy::kTemplate},
                                              {"freeform", Strategy::kFreeform},
                                              {"auto", Strategy::kAuto}}};

constexpr IntegerRange kParallelRange{.min = 1, .max = 1000};
constexpr IntegerRange kRepairRange{.min = 0, .max = 100};
constexpr std::size_t kLongestPattern = 128;
constexpr Duration kLongestHeartbeat = std::chrono::hours(24);

// With this code, because whoever refuses unknown keys refuses these too.
void WarnOfUnknown(ObjectReader& reader, std::string_view key, std::string_view what, const std::string& name,
                   std::span<const std::string_view> known) {
  std::string hint = DidYouMean(name, known);
  if (hint.empty()) hint = fmt::format("known are: {}", fmt::join(known, ", "));
  reader.Warn(key, ErrorCode::kUnknownField, fmt::format("there is no {} \"{}\"", what, name),
              std::move(hint));
}

// A name, or a glob of names.
bool IsToolPattern(std::string_view text) {
  return !text.empty() && text.size() <= kLongestPattern && text.find("..") == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) {
           return IsSafeName(std::string(1, c)) ||
                  std::string_view("._-*?[]!^").find(c) != std::string_view::npos;
         });
}

void ReadTools(ObjectReader& reader, AgentProfile& profile, const ToolNames& known) {
  std::vector<std::string> names;
  bool good = true;
  const bool given = reader.Items("tools", [&](ItemReader& item) {
    std::string name;
    if (!item.String(name)) {
      good = false;
    } else if (!IsToolPattern(name)) {
      item.Error(ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot name a tool", name),
                 "letters, digits, '_' and '-'; '*' stands for any of them");
      good = false;
    } else {
      names.push_back(std::move(name));
    }
  });
  if (!given || !good) return;
  for (const std::string& name : names) {
    if (!known.Knows(name)) WarnOfUnknown(reader, "tools", "tool", name, known.all());
  }
  profile.tools = std::move(names);
}

void AddTexts(json::object& object, std::string_view key, const std::vector<std::string>& texts) {
  if (!texts.empty()) object[key] = json::array(texts.begin(), texts.end());
}

void AddText(json::object& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

}  // namespace

std::string_view ToString(AgentRuntime runtime) {
  return SpellingOf(kRuntimes, runtime);
}
std::string_view ToString(Strategy strategy) {
  return SpellingOf(kStrategies, strategy);
}

void ReadHeartbeat(ObjectReader& reader, std::optional<Duration>& interval) {
  reader.Object("heartbeat", [&](ObjectReader& heartbeat) {
    Duration period{};
    if (!heartbeat.Period("interval_seconds", period)) return;
    if (period <= Duration::zero() || period > kLongestHeartbeat) {
      heartbeat.Error("interval_seconds", ErrorCode::kValueInvalid, "must be more than 0 and at most a day");
      return;
    }
    interval = period;
  });
}

void ReadProfileFields(ObjectReader& reader, AgentProfile& profile, const ToolNames& tools) {
  reader.Text("name", profile.name);
  reader.Text(Field("prompt").Invalid(ErrorCode::kPromptEmpty), profile.prompt);
  reader.Texts("capabilities", profile.capabilities);
  ReadTools(reader, profile, tools);
  if (reader.Texts("permissions", profile.permissions)) {
    for (const std::string& name : profile.permissions) {
      if (!IsKnownName(kKnownPermissions, name))
        WarnOfUnknown(reader, "permissions", "permission", name, kKnownPermissions);
    }
  }
  std::vector<AgentId> visibility;
  if (reader.Names("visibility", visibility)) profile.visibility = std::move(visibility);
  reader.Name("provider", profile.provider);
  reader.Text("model", profile.model);
  reader.Integer("max_parallel", kParallelRange, profile.max_parallel);
  ReadHeartbeat(reader, profile.heartbeat_interval);
  reader.Integer("repair_attempts", kRepairRange, profile.repair_attempts);
  reader.Choice<AgentRuntime>("runtime", kRuntimes, profile.runtime);
  reader.Choice<Strategy>("strategy", kStrategies, profile.strategy);
  ReadParameterBlock(reader, profile.parameters);
}

Checked<AgentProfile> ReadAgentProfile(const json::value& value, AgentProfile base, const ToolNames& tools) {
  Checked<AgentProfile> checked;
  ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    AgentId id;
    const Field field("agent_id");
    const bool is_named = reader.Name(base.agent_id.empty() ? field.Required() : field, id);
    if (is_named && !base.agent_id.empty() && id != base.agent_id) {
      reader.Error("agent_id", ErrorCode::kValueInvalid,
                   "\"" + id.str() + "\" is in the folder of \"" + base.agent_id.str() + "\"",
                   "rename the folder or the agent");
    } else if (is_named) {
      base.agent_id = id;
    }
    ReadProfileFields(reader, base, tools);
  });
  if (checked.issues.ok()) checked.value = std::move(base);
  return checked;
}

Checked<AgentProfile> ParseAgentProfile(std::string_view text, AgentProfile base) {
  return ReadJsonText<AgentProfile>(
      text, {}, [&](const json::value& value) { return ReadAgentProfile(value, std::move(base)); });
}

Checked<AgentProfile> ParseProfileFile(std::string_view text, AgentProfile base, const ToolNames& tools) {
  Checked<AgentProfile> checked = ReadJsonText<AgentProfile>(
      text, {}, [&](const json::value& value) { return ReadAgentProfile(value, std::move(base), tools); });
  RefuseUnknownNames(checked);
  return checked;
}

json::value ToJson(const AgentProfile& profile) {
  const AgentProfile defaults;
  json::object object{{"agent_id", profile.agent_id.str()}};
  AddText(object, "name", profile.name);
  AddText(object, "prompt", profile.prompt);
  AddTexts(object, "capabilities", profile.capabilities);
  AddTexts(object, "tools", profile.tools);
  AddTexts(object, "permissions", profile.permissions);
  if (profile.visibility) {
    json::array visibility;
    for (const AgentId& agent : *profile.visibility) visibility.emplace_back(agent.str());
    object["visibility"] = std::move(visibility);
  }
  AddText(object, "provider", profile.provider);
  AddText(object, "model", profile.model);
  if (profile.max_parallel != defaults.max_parallel) object["max_parallel"] = profile.max_parallel;
  if (profile.heartbeat_interval) {
    const std::chrono::duration<double> seconds = *profile.heartbeat_interval;
    object["heartbeat"] = json::object{{"interval_seconds", seconds.count()}};
  }
  if (profile.repair_attempts != defaults.repair_attempts)
    object["repair_attempts"] = profile.repair_attempts;
  if (profile.runtime != defaults.runtime) object["runtime"] = ToString(profile.runtime);
  if (profile.strategy != defaults.strategy) object["strategy"] = ToString(profile.strategy);
  if (!profile.parameters.empty()) AddParameters(object["parameters"].emplace_object(), profile.parameters);
  return object;
}

}  // namespace agenttalk
