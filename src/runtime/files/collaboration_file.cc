#include "runtime/files/collaboration_file.h"

#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/json.h"
#include "engine/turn/input.h"
#include "model/events/role_events.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/parsed_text.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::array<std::pair<std::string_view, CollaborationStatus>, 3> kStatuses{
    {{"completed", CollaborationStatus::kCompleted},
     {"error", CollaborationStatus::kError},
     {"rejected", CollaborationStatus::kRejected}}};

Checked<CollaborationResponse> Read(const json::value& value) {
  Checked<CollaborationResponse> checked;
  CollaborationResponse response;
  ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    reader.Name(Field("request_id").Required(), response.request_id);
    reader.Choice<CollaborationStatus>(Field("status").Required(), kStatuses, response.status);
    reader.String("reason", response.reason);
    if (const json::value* result = reader.Value("result"); result != nullptr && !result->is_null()) {
      response.result_is_json = !result->is_string();
      response.result = response.result_is_json ? CanonicalJson(*result) : std::string(result->get_string());
    } else if (response.status == CollaborationStatus::kCompleted && !reader.Failed("status")) {
      reader.Error("result", ErrorCode::kFieldMissing, "a completed response has a result");
    }
    reader.AllowOthers();
  });
  if (response.status != CollaborationStatus::kCompleted && response.reason.empty())
    response.reason = response.result.empty() ? "no reason given" : response.result;
  if (checked.issues.ok()) checked.value = std::move(response);
  return checked;
}

}  // namespace

bool IsResponseName(std::string_view name) {
  return name.starts_with("response_") && name.ends_with(".json");
}

Checked<CollaborationResponse> ParseResponse(std::string_view text) {
  constexpr std::size_t kLargest = std::size_t{4} << 20;
  return ReadJsonText<CollaborationResponse>(text, {.max_bytes = kLargest},
                                             [](const json::value& value) { return Read(value); });
}

}  // namespace agenttalk
