#pragma once

#include <string>
#include <vector>

#include "model/dag/task_dag.h"
#include "simulation/dag_fate.h"

namespace agenttalk {

// What becomes of each task, by the words of docs/formats/task_dag.md and nothing of the engine: goes over
// all tasks again and again until nothing changes. One word for each task, e.g. "COMPLETED".
std::vector<std::string> NaiveEnd(const TaskDag& dag, const Fate& fate);

}  // namespace agenttalk
