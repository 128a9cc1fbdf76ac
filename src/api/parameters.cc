#include "api/parameters.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "model/content/plan_tags.h"

namespace agenttalk {

namespace json = boost::json;

Result<std::string> OptionalText(const json::object& parameters, const char* name) {
  const json::value* found = parameters.if_contains(name);
  if (found == nullptr || found->is_null()) return std::string();
  if (!found->is_string()) return Fail(ErrorCode::kTypeMismatch, fmt::format("{} is no string", name));
  return std::string(found->as_string());
}

Result<std::string> Text(const json::object& parameters, const char* name) {
  std::string text = TRY(OptionalText(parameters, name));
  if (text.empty()) return Fail(ErrorCode::kFieldMissing, fmt::format("{} is missing", name));
  return text;
}

Result<std::uint64_t> OptionalNumber(const json::object& parameters, const char* name,
                                     std::uint64_t otherwise) {
  const json::value* found = parameters.if_contains(name);
  if (found == nullptr || found->is_null()) return otherwise;
  json::error_code error;
  const auto number = found->to_number<std::uint64_t>(error);
  if (error) return Fail(ErrorCode::kTypeMismatch, fmt::format("{} is no whole number", name));
  return number;
}

Result<std::vector<std::string>> OptionalTexts(const json::object& parameters, const char* name) {
  std::vector<std::string> texts;
  const json::value* found = parameters.if_contains(name);
  if (found == nullptr || found->is_null()) return texts;
  if (found->is_string()) return std::vector{std::string(found->as_string())};
  const json::array* list = found->if_array();
  if (list == nullptr) return Fail(ErrorCode::kTypeMismatch, fmt::format("{} is no list of strings", name));
  for (const json::value& one : *list) {
    if (!one.is_string())
      return Fail(ErrorCode::kTypeMismatch, fmt::format("{} is no list of strings", name));
    texts.emplace_back(one.as_string());
  }
  return texts;
}

Result<PlanTags> AddedTags(const json::object& parameters) {
  PlanTags tags = TRY(OptionalTexts(parameters, "tags"));
  if (tags.size() > kMostPlanTags) {
    return Fail(ErrorCode::kTooLarge, fmt::format("a plan has at most {} tags", kMostPlanTags));
  }
  for (const std::string& tag : tags) {
    if (!IsSafeName(tag)) {
      return Fail(ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot be a tag", tag), std::string(kTagHint));
    }
  }
  return tags;
}

Result<PlanId> PlanOf(const json::object& parameters) {
  std::string text = TRY(Text(parameters, "plan_id"));
  if (!IsSafeName(text)) return Fail(ErrorCode::kNameUnsafe, "that cannot be the id of a plan");
  return PlanId(std::move(text));
}

}  // namespace agenttalk
