#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "model/command/command.h"
#include "model/command/reading.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

// `generate_command`: makes a complete, valid command of partial parameters, or says why it cannot. Behind
// the CLI's `command new`, the tool and the skill of that name, and the engine's commands for tasks.
//
// It converts types, drops optional values that cannot be used in favour of their defaults, and derives ids,
// number, key, dag_ref, payload_hash and score criteria; every repair is a warning. What comes out has passed
// strict validation; what cannot be repaired (no prompt, no plan, an unknown task, an unsafe name) is an
// error.
ReadCommandResult GenerateCommand(const boost::json::value& params, const CommandContext& context = {});

// The same for a node of a DAG, without the way through text: its fields were checked when the DAG was read,
// so only what is made of them here is checked.
ReadCommandResult GenerateCommand(const PlanId& plan, const TaskNode& node, std::int64_t seq,
                                  std::vector<RequiredInput> inputs, const DagRef& dag);

// `{"ok":true,"command":{…},"warnings":[…]}` or `{"ok":false,"errors":[…],"warnings":[…]}`.
boost::json::value ToJson(const ReadCommandResult& result);

}  // namespace agenttalk
