#include "engine/state/command_trails.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace agenttalk {

void CommandTrails::Add(std::uint32_t command, std::uint64_t event) {
  if (command >= ends_.size()) ends_.resize(command + 1);
  std::uint32_t& end = ends_[command];
  if (end != 0) {
    Link& last = links_[end - 1];
    if (event < last.first + last.count) return;
    if (event == last.first + last.count) {
      ++last.count;
      return;
    }
  }
  links_.push_back({event, 1, end});
  end = static_cast<std::uint32_t>(links_.size());
}

std::vector<EventSpan> CommandTrails::Of(std::uint32_t command) const {
  std::vector<EventSpan> spans;
  if (command >= ends_.size()) return spans;
  for (std::uint32_t at = ends_[command]; at != 0 && at <= links_.size(); at = links_[at - 1].before) {
    spans.push_back({links_[at - 1].first, links_[at - 1].count});
    // A damaged snapshot must not lead in a circle: spans only ever go back.
    if (links_[at - 1].before >= at) break;
  }
  std::ranges::reverse(spans);
  return spans;
}

}  // namespace agenttalk
