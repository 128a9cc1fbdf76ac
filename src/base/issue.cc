#include "base/issue.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
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

}  // namespace agenttalk
