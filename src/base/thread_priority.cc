#include "base/thread_priority.h"

#include <sys/resource.h>
#include <unistd.h>

namespace agenttalk {

void GiveWay() {
  constexpr int kSteps = 10;
  const id_t self = static_cast<id_t>(::gettid());
  ::setpriority(PRIO_PROCESS, self, ::getpriority(PRIO_PROCESS, self) + kSteps);
}

}  // namespace agenttalk
