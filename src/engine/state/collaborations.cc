#include "engine/state/collaborations.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/ids.h"

namespace agenttalk {

const Collaboration* Collaborations::Find(const std::string& request) const {
  const auto found = requests_.find(request);
  return found == requests_.end() ? nullptr : &found->second;
}

// The command for a request is called after it.
const Collaborations::ByRequest::value_type* Collaborations::FindByWork(const CommandId& work) const {
  constexpr std::string_view kPrefix = "cmd_";
  if (requests_.empty() || !work.str().starts_with(kPrefix)) return nullptr;
  const auto found = requests_.find(work.str().substr(kPrefix.size()));
  return found != requests_.end() && found->second.work == work ? &*found : nullptr;
}

void Collaborations::Open(const std::string& request, Collaboration collaboration) {
  requests_[request] = std::move(collaboration);
}

void Collaborations::Close(const std::string& request, CollaborationPhase phase) {
  const auto found = requests_.find(request);
  if (found != requests_.end() && found->second.phase == CollaborationPhase::kOpen)
    found->second.phase = phase;
}

}  // namespace agenttalk
