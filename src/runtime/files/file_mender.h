#pragma once

#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "runtime/core/core.h"

namespace agenttalk {

// Knows files of ours that look like a stranger's after a power cut: torn, or of an older version.
class FileMender {
 public:
  FileMender(Core& core, Journal& journal, FileSystem& files, Mirror& mirror)
      : core_(core), journal_(journal), files_(files), mirror_(mirror) {}

  // Hands the input that should be there to the mirror, unless a stranger's file is in its place.
  Result<void> Mend(const std::string& path);

 private:
  Result<bool> IsOurs(const std::string& path, const PlanId& plan, const AgentId& agent,
                      const std::string& name, const std::string& wanted);

  Core& core_;
  Journal& journal_;
  FileSystem& files_;
  Mirror& mirror_;
};

}  // namespace agenttalk
