#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/issue.h"

namespace agenttalk {

// A JSON Schema as tools describe their arguments with it: 2020-12, and draft 7 and older where `$schema` or
// the spelling says so. It comes from strangers: loading and checking take bounded time and stack, and what
// cannot be checked is said, never taken as checked.
//
// As the standard has it, `format` and `content…` describe and do not check.
class JsonSchema {
 public:
  // An error: it is no schema (a keyword's value has the wrong type, a `$ref` leads nowhere).
  static Result<JsonSchema> Load(boost::json::value schema);

  ~JsonSchema();
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) noexcept;

  // What of it Check does not look at: the place in the schema and why. Empty: all is checked.
  [[nodiscard]] const std::vector<Issue>& gaps() const;
  // Keywords that the standard does not know, with the one that was probably meant.
  [[nodiscard]] const std::vector<Issue>& unknown() const;

  // What is wrong with the value, with the place in it; empty: it fits. Ten issues at most.
  [[nodiscard]] std::vector<Issue> Check(const boost::json::value& value) const;

  struct Parts;

 private:
  explicit JsonSchema(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// "/path: must be a string; …", for a message.
std::string ToText(const std::vector<Issue>& issues);

}  // namespace agenttalk
