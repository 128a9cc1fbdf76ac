#include "model/events/event_codec.h"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/codec.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/command/command.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

using Decoder = void (*)(ByteReader&, EventBody&);

template <std::size_t I>
void DecodeBody(ByteReader& reader, EventBody& body) {
  reader.Get(body.emplace<I>());
}

template <std::size_t... I>
constexpr std::array<Decoder, sizeof...(I)> MakeDecoders(std::index_sequence<I...> /*types*/) {
  return {&DecodeBody<I>...};
}

constexpr auto kDecoders = MakeDecoders(std::make_index_sequence<std::variant_size_v<EventBody>>());

#define AGENTTALK_EVENT_NAME(type, name, home) name,
constexpr std::array<const char*, std::variant_size_v<EventBody>> kNames = {
    AGENTTALK_EVENTS(AGENTTALK_EVENT_NAME)};
#undef AGENTTALK_EVENT_NAME

#define AGENTTALK_EVENT_HOME(type, name, home) EventHome::home,
constexpr std::array<EventHome, std::variant_size_v<EventBody>> kHomes = {
    AGENTTALK_EVENTS(AGENTTALK_EVENT_HOME)};
#undef AGENTTALK_EVENT_HOME

// Members of one class, so that each may call those below it.
struct FieldsAsJson {
  static json::value FieldJson(const std::string& value) { return json::value(value); }
  template <typename Tag>
  static json::value FieldJson(const Id<Tag>& value) {
    return json::value(value.str());
  }
  static json::value FieldJson(const Digest& value) {
    return value.IsZero() ? json::value() : json::value(value.Hex());
  }
  static json::value FieldJson(const Timestamp& value) {
    return value == Timestamp{} ? json::value() : json::value(ToRfc3339(value));
  }
  static json::value FieldJson(const Duration& value) {
    return json::value(static_cast<double>(value.count()) / 1e6);
  }
  static json::value FieldJson(ErrorCode value) { return json::value(ToString(value)); }
  template <typename T>
    requires std::is_arithmetic_v<T>
  static json::value FieldJson(T value) {
    return json::value(value);
  }
  template <typename T>
    requires(std::is_enum_v<T>)
  static json::value FieldJson(T value) {
    return json::value(std::string(EnumName(value)));
  }
  template <typename T>
  static json::value FieldJson(const std::optional<T>& value) {
    return value ? FieldJson(*value) : json::value();
  }
  // The DAG itself is a content that the event names; here its size tells enough.
  static json::value FieldJson(const std::vector<TaskNode>& nodes) { return json::value(nodes.size()); }
  template <typename T>
  static json::value FieldJson(const std::vector<T>& values) {
    json::array array;
    for (const auto& value : values) array.push_back(FieldJson(value));
    return array;
  }
  template <HasFields T>
  static json::value FieldJson(const T& value) {
    json::object object;
    T::Fields(value, [&object](const char* name, const auto& field) { object[name] = FieldJson(field); });
    return object;
  }
};

// The ids that stand beside `data` in a log line; an event that has none leaves them empty.
void LiftIds(json::object& line, const json::object& data) {
  for (const char* name : {"task_id", "command_id", "agent_id"}) {
    const json::value* found = data.if_contains(name);
    if (found != nullptr) line[name] = *found;
  }
  if (const json::value* command = data.if_contains("command")) {
    line["command_id"] = command->as_object().at("command_id");
    line["task_id"] = command->as_object().at("task_id");
  }
  if (data.contains("from") && line["agent_id"].is_null()) line["agent_id"] = data.at("from");
}

}  // namespace

const char* EventName(const EventBody& body) {
  return kNames.at(body.index());
}

EventHome HomeOf(const EventBody& body) {
  return kHomes.at(body.index());
}

std::string EncodeEvents(std::span<const Event> events) {
  CHECK(!events.empty());
  thread_local ByteWriter out;
  out.Clear();
  out.Put(events.front().time);
  out.Varint(events.front().caused_by);
  for (const Event& event : events) {
    out.Varint(event.body.index());
    std::visit([](const auto& body) { out.Put(body); }, event.body);
  }
  return std::string(out.str());
}

namespace {

// Reads the next event into `event`, whose number is set.
Result<void> DecodeNext(ByteReader& reader, Event& event) {
  const std::uint64_t type = reader.Varint();
  if (reader.ok() && type >= kDecoders.size()) {
    return Fail(ErrorCode::kJournalVersion,
                fmt::format("event {} is of the unknown type {}", event.number, type),
                "a newer agenttalk wrote this hub; run that version");
  }
  if (reader.ok()) kDecoders.at(type)(reader, event.body);
  if (!reader.ok()) {
    return Fail(ErrorCode::kJournalDamaged, fmt::format("event {} cannot be read", event.number),
                "restore the hub's .agenttalk folder from a backup");
  }
  return {};
}

}  // namespace

Result<void> DecodeEvents(const PlanId& plan, std::uint64_t first_number, std::uint32_t count,
                          std::string_view bytes, const std::function<void(const Event&)>& visit) {
  ByteReader reader(bytes);
  Event event;
  event.plan_id = plan;
  reader.Get(event.time);
  event.caused_by = reader.Varint();
  for (std::uint32_t i = 0; i < count; ++i) {
    event.number = first_number + i;
    TRY(DecodeNext(reader, event));
    visit(event);
    event.caused_by = first_number;
  }
  return {};
}

Result<void> DecodeEvents(const PlanId& plan, std::uint64_t first_number, std::uint32_t count,
                          std::string_view bytes, std::vector<Event>& events) {
  ByteReader reader(bytes);
  Timestamp time;
  reader.Get(time);
  const std::uint64_t cause = reader.Varint();
  for (std::uint32_t i = 0; i < count; ++i) {
    Event& event = events.emplace_back(first_number + i, i == 0 ? cause : first_number, time, plan);
    if (auto decoded = DecodeNext(reader, event); !decoded) {
      events.pop_back();
      return decoded;
    }
  }
  return {};
}

Result<std::vector<std::uint32_t>> FindEvents(std::uint64_t first_number, std::uint32_t count,
                                              std::string_view bytes) {
  ByteReader reader(bytes);
  Event event;
  reader.Get(event.time);
  static_cast<void>(reader.Varint());
  std::vector<std::uint32_t> places;
  places.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    event.number = first_number + i;
    places.push_back(static_cast<std::uint32_t>(bytes.size() - reader.remaining()));
    TRY(DecodeNext(reader, event));
  }
  return places;
}

Result<void> DecodeSomeEvents(const PlanId& plan, std::uint64_t first_number,
                              std::span<const std::uint32_t> places, std::string_view bytes,
                              std::uint64_t from, std::uint64_t until,
                              const std::function<void(const Event&)>& visit) {
  ByteReader header(bytes);
  Event event;
  event.plan_id = plan;
  header.Get(event.time);
  const std::uint64_t cause = header.Varint();
  ByteReader reader(bytes.substr(places[from - first_number]));
  for (event.number = from; event.number <= until; ++event.number) {
    event.caused_by = event.number == first_number ? cause : first_number;
    TRY(DecodeNext(reader, event));
    visit(event);
  }
  return {};
}

EventIds IdsOf(const EventBody& body) {
  EventIds ids;
  AgentId from;
  bool has_agent = false;
  std::visit(
      [&](const auto& fields) {
        using Body = std::remove_cvref_t<decltype(fields)>;
        Body::Fields(fields, [&](std::string_view name, const auto& field) {
          using Type = std::remove_cvref_t<decltype(field)>;
          if constexpr (std::is_same_v<Type, AgentId>) {
            if (name == "agent_id") ids.agent = field;
            if (name == "from") from = field;
            has_agent = has_agent || name == "agent_id";
          } else if constexpr (std::is_same_v<Type, CommandId>) {
            if (name == "command_id") ids.command = field;
          } else if constexpr (std::is_same_v<Type, Command>) {
            if (name == "command") ids.command = field.command_id;
          }
        });
      },
      body);
  if (!has_agent) ids.agent = std::move(from);
  return ids;
}

json::object EventToJson(const Event& event) {
  json::object data;
  std::visit(
      [&data](const auto& body) {
        using Body = std::remove_cvref_t<decltype(body)>;
        Body::Fields(body, [&data](const char* name, const auto& field) {
          data[name] = FieldsAsJson::FieldJson(field);
        });
      },
      event.body);
  json::object line{{"seq", event.number},
                    {"time", ToRfc3339(event.time)},
                    {"type", EventName(event.body)},
                    {"plan_id", event.plan_id.str()},
                    {"task_id", nullptr},
                    {"command_id", nullptr},
                    {"agent_id", nullptr},
                    {"caused_by", event.caused_by}};
  LiftIds(line, data);
  line["data"] = std::move(data);
  return line;
}

}  // namespace agenttalk
