#include "engine/command/result_files.h"

#include <map>
#include <string>
#include <utility>

#include "base/file_name.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/content/named_content.h"

namespace agenttalk {

std::map<std::string, Content> GivenOutputs(Turn& turn, const PlanState& plan, AnswerFacts& answer) {
  std::map<std::string, Content> given = std::move(answer.files);
  for (auto& [name, bytes] : answer.outputs) given.insert_or_assign(name, turn.Store(plan, std::move(bytes)));
  return given;
}

std::map<std::string, Content> OutputsInFolder(const PlanState& plan, const CommandRecord& record,
                                               bool external) {
  std::map<std::string, Content> files;
  if (const auto left = plan.found_outputs.find(record.agent); external && left != plan.found_outputs.end())
    files = left->second;
  if (!record.execution) return files;
  for (const NamedContent& file : record.execution->outputs) {
    if (IsOutputName(file.name)) files.insert_or_assign(file.name, file.content);
  }
  return files;
}

}  // namespace agenttalk
