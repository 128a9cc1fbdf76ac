#include "cli/hub_call.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "api/hub_client.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "cli/text/plain_number.h"
#include "cli/text/table.h"
#include "cli/verb.h"

namespace agenttalk {

namespace json = boost::json;

Result<json::value> CallHub(const Invocation& call, const std::string& method, json::object parameters) {
  HubClient client(TRY(call.Hub()));
  return client.Call(method, std::move(parameters));
}

Result<std::filesystem::path> FullPath(const Invocation& call, const std::string& parameter) {
  const std::string path = call.arguments.Get(parameter);
  if (path.empty()) return Fail(ErrorCode::kUsage, parameter + " is empty", "say a path");
  return std::filesystem::absolute(path);
}

std::string CellText(const json::value& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return std::string(value.as_string());
  if (value.is_double()) return PlainNumber(value.as_double());
  if (!value.is_array()) return CompactJson(value);
  std::string text;
  for (const json::value& item : value.as_array()) text += (text.empty() ? "" : ", ") + CellText(item);
  return text;
}

std::string ObjectTable(const json::array& objects, const std::vector<std::string>& members, bool colors) {
  std::vector<std::vector<std::string>> rows = {members};
  for (const json::value& object : objects) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const std::string& member : members) {
      const json::value* found = object.as_object().if_contains(member);
      row.push_back(found == nullptr ? std::string() : CellText(*found));
    }
  }
  return TableText(rows, colors);
}

}  // namespace agenttalk
