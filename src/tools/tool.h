#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string_view>

#include "model/request/model_request.h"
#include "tools/tool_runner.h"

namespace agenttalk {

// Something that an agent's model may do. One object serves all agents; what differs is in the invocation.
class Tool {
 public:
  Tool() = default;
  virtual ~Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  [[nodiscard]] virtual const ToolSpec& spec() const = 0;
  // True: running it twice does no harm.
  [[nodiscard]] virtual bool idempotent() const { return true; }
  // True: it works in the command's folder. The folder is as the record says before it runs, and what it
  // leaves in outputs/ is recorded with its outcome.
  [[nodiscard]] virtual bool works_in_folder() const { return false; }
  // What the agent's profile must permit besides listing the tool; empty: nothing.
  [[nodiscard]] virtual std::string_view permission() const { return {}; }
  // True: it converts what a model gives by itself, so that arguments need not fit the schema it is told.
  [[nodiscard]] virtual bool converts() const { return false; }
  // As ToolRunner::Run; the arguments fit the schema.
  [[nodiscard]] virtual std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                         const boost::json::object& arguments,
                                                         ToolRunner::Done done) = 0;
};

}  // namespace agenttalk
