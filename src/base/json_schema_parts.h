#pragma once

#include <boost/json.hpp>
#include <boost/regex.hpp>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/issue.h"
#include "base/json_schema.h"

namespace agenttalk {

// A loaded schema: the document, and what was found out about it before anything is checked.
struct JsonSchema::Parts {
  boost::json::value root;
  bool ignores_siblings = false;  // of $ref, as draft 7 and older do
  bool tracks = false;            // it asks what nothing else has looked at (unevaluated…)
  std::unordered_map<const boost::json::object*, const boost::json::value*> refs;  // where its $ref leads
  std::map<std::string, boost::wregex, std::less<>> patterns;                      // by their spelling
  std::vector<Issue> gaps;
  std::vector<Issue> unknown;
};

// What is wrong with the value. `faults` has ten at most.
bool CheckBySchema(const JsonSchema::Parts& schema, const boost::json::value& value,
                   std::vector<Issue>& faults);

}  // namespace agenttalk
