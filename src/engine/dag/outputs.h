#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_outcome.h"
#include "model/events/event.h"

// Results on their way along the edges.
namespace agenttalk {

// The names of what a task is to make, each once; empty: it leaves its result under a name of its own.
std::vector<std::string> OutputNames(const TaskNode& node);
// Those of them that only some scores want.
std::vector<OutputCondition> OutputConditions(const TaskNode& node);

// What a result brings: the outputs that the task declares, and the files beside them.
struct NamedOutputs {
  std::vector<NamedContent> outputs;
  std::vector<NamedContent> beside;
};
// `given` is in the answer, `left` are files that lay where outputs are looked for. The only declared
// output is the result itself where neither has it.
NamedOutputs NameOutputs(const TaskNode& node, const std::map<std::string, Content>& given,
                         const std::map<std::string, Content>& left, const Content& result);

// Why an output must not be delivered; nothing: all may be.
std::optional<std::string> FindConflict(const PlanState& plan, const TaskNode& node, const TaskResult& result,
                                        Language language);

// The task is completed: its outputs go to their receivers, its deliverables to the plan's.
void DeliverOutputs(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node);
// A revision has new receivers for what a task made before.
void DeliverToNewReceivers(Turn& turn, const PlanState& plan, TaskIndex task);

}  // namespace agenttalk
