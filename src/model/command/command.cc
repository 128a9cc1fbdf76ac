#include "model/command/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/json.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kIdPrefix = "cmd_";
constexpr std::size_t kFewestDigits = 3;

// The members of a command as text, written once in the order a person would like to read; what is hashed has
// them in the order of their names.
class Members {
 public:
  explicit Members(const Command& command) { Write(command); }

  [[nodiscard]] std::string Readable(const Digest& payload) const {
    return fmt::format(R"({{{},"payload_hash":"{}"}})", text_, payload.Hex());
  }

  [[nodiscard]] Digest Payload() const {
    std::string canonical;
    canonical.reserve(text_.size() + 2);
    for (const Member& member : members_) {
      if (member.end == 0) continue;
      canonical.push_back(canonical.empty() ? '{' : ',');
      canonical.append(text_, member.begin, member.end - member.begin);
    }
    canonical.push_back('}');
    return Sha256(canonical);
  }

 private:
  struct Member {
    std::size_t begin = 0;  // of `"name":value` in the text
    std::size_t end = 0;    // 0: the command has none
  };
  static constexpr std::array<std::string_view, 18> kNames = {
      "assigned_agent_id", "command_id",  "command_seq",    "dag_ref",        "idempotency_key",
      "on_complete",       "on_failure",  "plan_id",        "priority",       "prompt",
      "required_inputs",   "retry_times", "schema_version", "score_criteria", "score_required",
      "task_id",           "timeout",     "wait_for_inputs"};
  static_assert(std::ranges::is_sorted(kNames));
  // One of them; where it is among them is known to the compiler.
  struct Name {
    consteval Name(const char* name)  // NOLINT(google-explicit-constructor)
        : text(name), place(static_cast<std::size_t>(std::ranges::find(kNames, text) - kNames.begin())) {
      if (place == kNames.size()) throw "a command has no member of this name";
    }
    std::string_view text;
    std::size_t place;
  };

  template <typename F>
  void Add(Name name, F&& write) {
    if (!text_.empty()) text_.push_back(',');
    Member& member = members_[name.place];
    member.begin = text_.size();
    Key(name.text);
    write();
    member.end = text_.size();
  }
  void AddText(Name name, std::string_view value) {
    Add(name, [&] { AppendJsonString(value, text_); });
  }
  void AddFlag(Name name, bool value) {
    Add(name, [&] { text_.append(value ? "true" : "false"); });
  }
  void AddNumber(Name name, std::int64_t value) {
    Add(name, [&] { Number(value); });
  }

  void Key(std::string_view key) {
    text_.push_back('"');
    text_.append(key);
    text_.append("\":");
  }
  void Number(std::int64_t value) { text_.append(fmt::format_int(value).c_str()); }

  // What is inside a member is in the order of names always.
  template <typename T, typename F>
  void List(const std::vector<T>& items, F&& write) {
    text_.push_back('[');
    for (const T& item : items) {
      if (&item != items.data()) text_.push_back(',');
      write(item);
    }
    text_.push_back(']');
  }
  void Agents(const std::vector<AgentId>& agents) {
    Key("send_to");
    List(agents, [this](const AgentId& agent) { AppendJsonString(agent.str(), text_); });
  }
  void Template(const std::string& text) {
    text_.push_back('{');
    Key("message_template");
    AppendJsonString(text, text_);
  }

  void Write(const Command& command);
  void Input(const RequiredInput& input);
  void Route(const ScoreRoute& route);
  void Complete(const OnComplete& hook);
  void Failure(const OnFailure& hook);
  void Reference(const DagRef& ref);

  std::string text_;
  std::array<Member, kNames.size()> members_{};  // in the order of their names
};

void Members::Write(const Command& command) {
  constexpr std::size_t kRest = 640;
  text_.reserve(command.prompt.size() + kRest);
  AddText("schema_version", command.schema_version);
  AddText("command_id", command.command_id.str());
  AddText("plan_id", command.plan_id.str());
  if (command.BelongsToDag()) {
    AddText("task_id", command.task_id.str());
    AddNumber("command_seq", command.command_seq);
  }
  if (!command.assigned_agent_id.empty()) AddText("assigned_agent_id", command.assigned_agent_id.str());
  AddText("idempotency_key", command.idempotency_key);
  AddText("prompt", command.prompt);
  Add("required_inputs",
      [&] { List(command.required_inputs, [this](const RequiredInput& input) { Input(input); }); });
  AddFlag("wait_for_inputs", command.wait_for_inputs);
  AddFlag("score_required", command.score_required);
  if (!command.score_criteria.empty()) AddText("score_criteria", command.score_criteria);
  Add("on_complete", [&] { Complete(command.on_complete); });
  Add("on_failure", [&] { Failure(command.on_failure); });
  AddNumber("timeout", std::chrono::duration_cast<std::chrono::seconds>(command.timeout).count());
  AddNumber("retry_times", command.retry_times);
  AddNumber("priority", command.priority);
  if (command.dag_ref) Add("dag_ref", [&] { Reference(*command.dag_ref); });
}

void Members::Input(const RequiredInput& input) {
  if (input.min == 1) {
    AppendJsonString(input.pattern, text_);
    return;
  }
  text_.push_back('{');
  Key("min");
  Number(input.min);
  text_.push_back(',');
  Key("pattern");
  AppendJsonString(input.pattern, text_);
  text_.push_back('}');
}

void Members::Route(const ScoreRoute& route) {
  text_.push_back('{');
  Key("min_score");
  text_.append(CanonicalJson(route.min_score));
  text_.push_back(',');
  Agents(route.send_to);
  text_.push_back('}');
}

void Members::Complete(const OnComplete& hook) {
  Template(hook.message_template);
  if (!hook.output_name.empty()) {
    text_.push_back(',');
    Key("output_name");
    AppendJsonString(hook.output_name, text_);
  }
  if (!hook.send_to.empty()) {
    text_.push_back(',');
    Agents(hook.send_to);
  }
  if (!hook.send_to_condition.empty()) {
    text_.push_back(',');
    Key("send_to_condition");
    List(hook.send_to_condition, [this](const ScoreRoute& route) { Route(route); });
  }
  text_.push_back('}');
}

void Members::Failure(const OnFailure& hook) {
  Template(hook.message_template);
  if (!hook.send_to.empty()) {
    text_.push_back(',');
    Agents(hook.send_to);
  }
  text_.push_back('}');
}

void Members::Reference(const DagRef& ref) {
  text_.push_back('{');
  if (ref.revision) {
    Key("revision");
    Number(*ref.revision);
    text_.push_back(',');
  }
  Key("sha256");
  AppendJsonString(ref.sha256.Hex(), text_);
  text_.push_back('}');
}

}  // namespace

CommandId CommandIdOf(const TaskId& task, std::int64_t seq) {
  const fmt::format_int number(seq);
  std::string id;
  id.reserve(kIdPrefix.size() + task.str().size() + 1 + std::max(kFewestDigits, number.size()));
  id.append(kIdPrefix).append(task.str()).append("_");
  if (number.size() < kFewestDigits) id.append(kFewestDigits - number.size(), '0');
  return CommandId(id.append(number.data(), number.size()));
}

std::optional<CommandIdParts> SplitCommandId(std::string_view id) {
  if (!id.starts_with(kIdPrefix)) return std::nullopt;
  const std::string_view rest = id.substr(kIdPrefix.size());
  const std::size_t bar = rest.rfind('_');
  if (bar == std::string_view::npos || bar == 0) return std::nullopt;
  const std::string_view digits = rest.substr(bar + 1);
  const bool all_digits = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (digits.size() < kFewestDigits || !all_digits) return std::nullopt;
  CommandIdParts parts{.task = rest.substr(0, bar)};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts.seq);
  if (error != std::errc()) return std::nullopt;
  return parts;
}

std::string DefaultIdempotencyKey(const Command& command) {
  return DefaultIdempotencyKey(command.plan_id, command.task_id, command.command_id);
}

std::string DefaultIdempotencyKey(const PlanId& plan, const TaskId& task, const CommandId& command) {
  const std::string& work = task.empty() ? command.str() : task.str();
  std::string key;
  key.reserve(plan.str().size() + work.size() + command.str().size() + 2);
  return key.append(plan.str()).append(":").append(work).append(":").append(command.str());
}

bool HasDefaultKey(const Command& command) {
  std::string_view rest = command.idempotency_key;
  const auto take = [&rest](std::string_view part) {
    if (!rest.starts_with(part)) return false;
    rest.remove_prefix(part.size());
    return true;
  };
  const std::string& id = command.command_id.str();
  return take(command.plan_id.str()) && take(":") &&
         take(command.task_id.empty() ? id : command.task_id.str()) && take(":") && take(id) && rest.empty();
}

const std::vector<AgentId>& TargetsFor(const OnComplete& on_complete, std::optional<double> score) {
  const ScoreRoute* best = nullptr;
  for (const ScoreRoute& route : on_complete.send_to_condition) {
    const bool met = score && *score >= route.min_score;
    if (met && (best == nullptr || route.min_score > best->min_score)) best = &route;
  }
  return best == nullptr ? on_complete.send_to : best->send_to;
}

CommandText TextOf(const Command& command) {
  Members members(command);
  const Digest payload = members.Payload();
  return {members.Readable(payload), payload};
}

json::value ToJson(const Command& command) {
  return json::parse(TextOf(command).text);
}

Digest PayloadHash(const Command& command) {
  return Members(command).Payload();
}

Digest PayloadHash(const json::object& raw) {
  json::object rest = raw;
  rest.erase("payload_hash");
  return Sha256(CanonicalJson(std::move(rest)));
}

}  // namespace agenttalk
