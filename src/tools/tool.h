#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "model/config/risk_level.h"
#include "model/request/model_request.h"
#include "tools/tool_runner.h"

// Where tools come from, and how a new source of them is added.
//
// An agent's tools are what its profile lists (names, or globs such as `mcp__files__*`) among what the
// sources have. A source is whatever makes Tool objects: the program itself (runtime/calls/tool_set.cc), the
// `tools:` of agenttalk.yaml (tools/hub_tool.h), an MCP server. It hands them over all at once, with its
// origin:
//
//   for (const std::string& problem : registry.SetSource({ToolOriginKind::kMcpServer, "files"},
//   std::move(tools)))
//     Report(problem);
//
// on the loop's thread, as often as they change. What the source had before and does not name any more is
// gone; a call that is under way keeps its Tool until it ends. Commands that start afterwards are told of the
// new set. The names that profiles may list are model/config/tool_names.h: a name that is known only later,
// because its server has to be asked, is accepted by its prefix.
//
// All else follows from what a Tool declares of itself. The registry checks the agent's grant, the permission
// and the arguments before Run is called. `idempotent` is recorded with the call's intent, before it begins;
// the engine decides by that record alone what becomes of a call that was under way when the process ended:
// repeated, or a question to a person. What a tool made (images, files) goes into ToolOutcomeReport::left
// and is then in outputs/, whether the tool works in the folder or not.
namespace agenttalk {

// Something that an agent's model may do. One object serves all agents; what differs is in the invocation.
class Tool {
 public:
  Tool() = default;
  virtual ~Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;

  // Its name is how models call it: letters, digits, '_' and '-', at most 64 of them. The schema is that of
  // an object.
  [[nodiscard]] virtual const ToolSpec& spec() const = 0;
  // What it does, for people.
  [[nodiscard]] virtual std::string remark() const { return spec().description; }
  // True: running it twice does no harm.
  [[nodiscard]] virtual bool idempotent() const { return true; }
  // High: a person has to agree to each call.
  [[nodiscard]] virtual RiskLevel risk() const { return RiskLevel::kLow; }
  // True: it works in the command's folder. The folder is as the record says before it runs, and what it
  // leaves in outputs/ is recorded with its outcome.
  [[nodiscard]] virtual bool works_in_folder() const { return false; }
  // What the agent's profile must permit besides listing the tool; empty: nothing.
  [[nodiscard]] virtual std::string_view permission() const { return {}; }
  // True: it converts what a model gives by itself, so that arguments need not fit the schema it is told.
  [[nodiscard]] virtual bool converts() const { return false; }
  // True: whoever runs it checks the arguments too, so that a call is made although its schema has a part
  // that cannot be checked here. The part is listed (ToolListing::unchecked). Otherwise such a tool is not
  // offered.
  [[nodiscard]] virtual bool checks_arguments() const { return false; }
  // Why it cannot be run here at present, for people; empty: it can.
  [[nodiscard]] virtual std::string obstacle() const { return {}; }
  // As ToolRunner::Run; the arguments fit the schema.
  [[nodiscard]] virtual std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                         const boost::json::object& arguments,
                                                         ToolRunner::Done done) = 0;
};

}  // namespace agenttalk
