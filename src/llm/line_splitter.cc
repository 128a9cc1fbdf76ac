#include "llm/line_splitter.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace agenttalk {

bool LineSplitter::Feed(std::string_view bytes, const Take& take) {
  while (!stopped_ && !bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (pending_.size() + part.size() > longest_) {
      stopped_ = true;
      break;
    }
    if (end == std::string_view::npos) {
      pending_ += part;
      break;
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (pending_.empty()) {
      take(part);
    } else {
      pending_ += part;
      take(std::exchange(pending_, {}));
    }
  }
  return !stopped_;
}

void LineSplitter::Finish(const Take& take) {
  if (!stopped_ && !pending_.empty()) take(std::exchange(pending_, {}));
}

}  // namespace agenttalk
