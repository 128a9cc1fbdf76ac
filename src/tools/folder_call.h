#pragma once

#include <boost/json/fwd.hpp>
#include <functional>
#include <memory>

#include "tools/tool.h"
#include "tools/tool_runner.h"
#include "tools/workspace.h"

namespace agenttalk {

// Runs something on the loop's thread, soon.
using PostToLoop = std::function<void(std::function<void()>)>;

// Runs a tool that works in its command's folder: the folder is made what the record says, the tool runs, and
// what it left in outputs/ is collected. The call waits for its files, the loop does not: much of them is
// read and written on a thread of the call's own. As ToolRunner::Run; the call keeps the tool.
std::unique_ptr<RunningTool> RunInFolder(Workspace& workspace, const PostToLoop& post,
                                         std::shared_ptr<Tool> tool, ToolInvocation invocation,
                                         boost::json::object arguments, ToolRunner::Done done);

}  // namespace agenttalk
