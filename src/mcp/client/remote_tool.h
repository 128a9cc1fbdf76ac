#pragma once

#include <boost/json/fwd.hpp>
#include <expected>
#include <string>
#include <vector>

#include "base/digest.h"
#include "mcp/client/parameter_headers.h"

namespace agenttalk::mcp {

// A tool as its server describes it. All of it is a stranger's text.
struct RemoteTool {
  std::string name;
  std::string title;
  std::string description;
  std::string input_schema;   // JSON text, as it came
  std::string output_schema;  // empty: none
  std::string annotations;    // JSON text; empty: none
  bool repeatable = false;    // readOnlyHint or idempotentHint
  std::vector<ParameterHeader> headers = {};

  // Of everything that a model or the decision to repeat a call depends on.
  [[nodiscard]] Digest digest() const;
};

// An error says why it cannot be used. `over_http`: what the schema says about headers counts.
std::expected<RemoteTool, std::string> ReadRemoteTool(const boost::json::value& value, bool over_http);

}  // namespace agenttalk::mcp
