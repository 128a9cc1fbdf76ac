#include "base/issue.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"

namespace agenttalk {

boost::json::array ToJson(const std::vector<Issue>& issues) {
  boost::json::array array;
  array.reserve(issues.size());
  for (const Issue& issue : issues) {
    boost::json::object object{{"code", ToString(issue.code)},
                               {"path", issue.path},
                               {"message", issue.message},
                               {"hint", issue.hint}};
    if (issue.line > 0) object["line"] = issue.line;
    array.push_back(std::move(object));
  }
  return array;
}

std::vector<Issue> IssuesOf(const boost::json::value& list) {
  std::vector<Issue> issues;
  if (!list.is_array()) return issues;
  const auto text = [](const boost::json::object& from, const char* name) {
    const boost::json::value* value = from.if_contains(name);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
  };
  for (const boost::json::value& one : list.get_array()) {
    const boost::json::object* object = one.if_object();
    if (object == nullptr) continue;
    issues.push_back({CodeNamed(text(*object, "code")).value_or(ErrorCode::kInternal), text(*object, "path"),
                      text(*object, "message"), text(*object, "hint")});
  }
  return issues;
}

}  // namespace agenttalk
