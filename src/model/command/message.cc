#include "model/command/message.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/parsed_text.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr NumberRange kScoreRange{.min = 0, .max = 100};
constexpr IntegerRange kHopRange{.min = 0, .max = 1'000'000};

void ReadResult(ObjectReader& reader, Message& message) {
  const json::value* result = reader.Value("result");
  if (result == nullptr) return;
  if (result->is_string()) {
    message.result =
        MessageResult{.text = std::string(std::string_view(result->get_string())), .is_json = false};
  } else {
    message.result = MessageResult{.text = CanonicalJson(*result), .is_json = true};
  }
}

void ReadSentAt(ObjectReader& reader, Message& message) {
  std::string text;
  if (!reader.String("sent_at", text)) return;
  const std::optional<Timestamp> time = ParseRfc3339(text);
  if (!time) {
    reader.Error("sent_at", ErrorCode::kValueInvalid, "must be a time", "like 2026-11-15T12:01:41Z");
    return;
  }
  message.sent_at = *time;
}

json::value ResultJson(const MessageResult& result) {
  return result.is_json ? json::parse(result.text) : json::value(result.text);
}

}  // namespace

Checked<Message> ReadMessage(const json::value& value) {
  Checked<Message> checked;
  Message message;
  ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    reader.Name(Field("message_id").Required(), message.message_id);
    reader.Name(Field("plan_id").Required(ErrorCode::kPlanIdMissing), message.plan_id);
    reader.Name("command_id", message.command_id);
    reader.Name(Field("from").Required(), message.from);
    reader.Name(Field("to").Required(), message.to);
    reader.String(Field("content").Required(), message.content);
    ReadResult(reader, message);
    double score = 0;
    if (reader.Number("score", kScoreRange, score)) message.score = score;
    reader.Objects("outputs", [&](ObjectReader& object) {
      MessageOutput output;
      object.Name(Field("name").Required(), output.name);
      object.Sha256(Field("sha256").Required(), output.sha256);
      message.outputs.push_back(std::move(output));
    });
    reader.Integer("hops", kHopRange, message.hops);
    ReadSentAt(reader, message);
  });
  if (checked.issues.ok()) checked.value = std::move(message);
  return checked;
}

Checked<Message> ParseMessage(std::string_view text) {
  return ReadJsonText<Message>(text, {}, ReadMessage);
}

json::value ToJson(const Message& message) {
  json::object object{{"message_id", message.message_id}, {"plan_id", message.plan_id.str()}};
  if (!message.command_id.empty()) object["command_id"] = message.command_id.str();
  object["from"] = message.from.str();
  object["to"] = message.to.str();
  object["content"] = message.content;
  if (message.result) object["result"] = ResultJson(*message.result);
  if (message.score) object["score"] = *message.score;
  json::array outputs;
  for (const MessageOutput& output : message.outputs) {
    outputs.push_back(json::object{{"name", output.name}, {"sha256", output.sha256.Hex()}});
  }
  object["outputs"] = std::move(outputs);
  object["hops"] = message.hops;
  object["sent_at"] = ToRfc3339(message.sent_at);
  return object;
}

}  // namespace agenttalk
