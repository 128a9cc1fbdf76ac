#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "base/error_code.h"

namespace agenttalk {

// One thing that is wrong with something people or programs wrote, and where: `path` is a JSON Pointer.
struct Issue {
  ErrorCode code = ErrorCode::kInternal;
  std::string path;
  std::string message;
  std::string hint;
  int line = 0;  // of the source text, where known (YAML); 0 otherwise

  bool operator==(const Issue&) const = default;
};

// What a validator found: everything at once. Errors refuse the thing, warnings do not.
struct Issues {
  std::vector<Issue> errors;
  std::vector<Issue> warnings;

  [[nodiscard]] bool ok() const { return errors.empty(); }
};

// [{"code","path","message","hint"}], with "line" where it is known.
boost::json::array ToJson(const std::vector<Issue>& issues);
// The reverse, of what another process printed; what is no issue is left out.
std::vector<Issue> IssuesOf(const boost::json::value& list);

}  // namespace agenttalk
