#include "runtime/answers/folder_files.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "model/content/named_content.h"
#include "model/events/event.h"
#include "prompts/answer_reader.h"

namespace agenttalk {

std::vector<NamedContent> FolderInputs(const CommandRecord& record) {
  std::vector<NamedContent> files;
  for (const BoundInput& input : record.execution->inputs) files.push_back({input.name, input.content});
  const RoleState* role = record.execution->role.get();
  for (std::size_t i = 0; role != nullptr && i < role->steps().size(); ++i) {
    const std::string name = role->plan().steps[i].id + ".result";
    const bool taken = std::ranges::find(files, name, &NamedContent::name) != files.end();
    if (!role->steps()[i].result.empty() && !taken) files.push_back({name, role->steps()[i].result});
  }
  return files;
}

FolderFiles FilesOf(const CommandRecord& record) {
  FolderFiles files;
  if (!record.execution) return files;
  for (const NamedContent& file : FolderInputs(record)) files.emplace("inputs/" + file.name, file.content);
  for (const NamedContent& file : record.execution->outputs)
    files.emplace("outputs/" + file.name, file.content);
  return files;
}

}  // namespace agenttalk
