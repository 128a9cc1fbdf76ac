#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "model/events/event.h"
#include "runtime/core/core.h"

namespace agenttalk {

// Knows files of ours that look like a stranger's after a power cut: torn, or of an older version.
class FileMender {
 public:
  FileMender(Core& core, Journal& journal, FileSystem& files, Mirror& mirror)
      : core_(core), journal_(journal), files_(files), mirror_(mirror) {}

  // Hands the input that should be there to the mirror, unless a stranger's file is in its place.
  Result<void> Mend(const std::string& path);
  // Whether an input may be what a crash left of one that an event after `after` delivered: any version that
  // it had until then, or what a power cut makes of a new one.
  Result<bool> IsRemnant(const PlanId& plan, const AgentId& agent, const std::string& name,
                         std::string_view bytes, std::uint64_t after);

 private:
  Result<bool> IsOurs(const std::string& path, const PlanId& plan, const AgentId& agent,
                      const std::string& name, const std::string& wanted);
  // Tells of every version of the file until that is enough.
  Result<void> ForEachVersion(const PlanId& plan, const AgentId& agent, const std::string& name,
                              const std::function<bool(const Event&, const InputArrived&)>& is_enough);

  Core& core_;
  Journal& journal_;
  FileSystem& files_;
  Mirror& mirror_;
};

}  // namespace agenttalk
