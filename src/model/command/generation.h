#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "model/command/command.h"
#include "model/command/reading.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

// Of the interface that models see (skills/generate-command/SKILL.md).
inline constexpr std::string_view kGeneratorVersion = "1.0.0";

// `generate_command`: makes a complete, valid command of partial parameters, or says why it cannot. Behind
// the CLI's `command new`, the tool and the skill of that name, and the engine's commands for tasks.
//
// It converts types, drops optional values that cannot be used in favour of their defaults, and derives ids,
// number, key, dag_ref, payload_hash and score criteria; every repair is a warning. What comes out has passed
// strict validation; what cannot be repaired (no prompt, no plan, an unknown task, an unsafe name) is an
// error. `{"command_params": {…}}` is the same as its content.
ReadCommandResult GenerateCommand(const boost::json::value& params, const CommandContext& context = {});

// The same for a node of a DAG, without the way through text: its fields were checked when the DAG was read,
// so only what is made of them here is checked. `score_criteria` are those of a score that has none; empty:
// the default, in English.
ReadCommandResult GenerateCommand(const PlanId& plan, const TaskNode& node, std::int64_t seq,
                                  std::vector<RequiredInput> inputs, const DagRef& dag,
                                  std::string_view score_criteria = {});

// `{"ok":true,"skill_version":…,"command":{…},"warnings":[…]}` or
// `{"ok":false,"skill_version":…,"errors":[…], "warnings":[…]}`.
boost::json::value ToJson(const ReadCommandResult& result);

}  // namespace agenttalk
