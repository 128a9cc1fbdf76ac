#include "model/dag/task_dag_reader.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_node_reader.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/parsed_text.h"
#include "model/reading/schema_version.h"

namespace agenttalk {
namespace {

constexpr int kNewestMinor = 1;

}  // namespace

Checked<TaskDag> ReadTaskDag(const boost::json::value& value, const DagContext& context) {
  Checked<TaskDag> checked;
  TaskDag dag;
  DagSource source;
  const bool is_object = ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    ReadSchemaVersion(reader, kNewestMinor, dag.schema_version);
    reader.Name(Field("plan_id").Required(ErrorCode::kPlanIdMissing), dag.plan_id);
    reader.Items("routing_rules", [&](ItemReader& item) {
      if (item.Object([](ObjectReader& rule) { rule.AllowOthers(); })) {
        dag.routing_rules.push_back(CanonicalJson(item.value()));
      }
    });
    ReadNodes(reader, "nodes", NodeDialect::kDagFile, context, dag, source);
  });
  if (is_object) CheckAndCompleteDag(dag, source, context, checked.issues);
  if (checked.issues.ok()) checked.value = std::move(dag);
  return checked;
}

Checked<TaskDag> ParseTaskDag(std::string_view text, const DagContext& context) {
  return ReadJsonText<TaskDag>(text, {.max_bytes = kMaxDagBytes},
                               [&](const boost::json::value& value) { return ReadTaskDag(value, context); });
}

}  // namespace agenttalk
