#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/digest.h"
#include "mailbox/sim_file_system.h"
#include "model/events/event.h"

namespace agenttalk {

// What somebody who keeps looking into inboxes has seen there. Nothing that was delivered is ever replaced by
// what was delivered before it, and a question that went away does not come back, but for a power cut.
class SeenFiles {
 public:
  void Read(const Event& event);
  // Throws Violation.
  void Check(const SimFileSystem& files);
  void PowerCut();

 private:
  struct Delivered {
    std::vector<Digest> versions;  // oldest first
    std::size_t seen = 0;          // the newest that was there, from 1 on
  };
  struct Question {
    bool closed = false;
    bool seen = false;
    bool gone = false;  // closed, and not there any more
  };
  std::map<std::string, Delivered> delivered_;  // by path
  std::set<std::string> found_;  // somebody else puts files there too: they may come in any order
  std::map<std::uint64_t, Question> questions_;
};

}  // namespace agenttalk
