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
#include "model/content/content.h"
#include "model/events/event.h"
#include "runtime/core/core.h"

namespace agenttalk {

// What a power cut can make of a file that was not synced: cut short, or with zeros where data was.
bool IsTornForm(std::string_view there, std::string_view wanted);

// Knows files of ours that look like a stranger's after a power cut: torn, or of an older version.
class FileMender {
 public:
  FileMender(Core& core, Journal& journal, FileSystem& files, Mirror& mirror)
      : core_(core), journal_(journal), files_(files), mirror_(mirror) {}

  // Hands the input that should be there to the mirror, unless a stranger's file is in its place.
  Result<void> Mend(const std::string& path);
  // Events with greater numbers than `after`, up to `until`.
  struct Events {
    std::uint64_t after = 0;
    std::uint64_t until = 0;
  };
  // Whether an input may be what a crash left of one that these events delivered: any version that it had
  // until then, or what a power cut makes of a new one.
  Result<bool> IsRemnant(const PlanId& plan, const AgentId& agent, const std::string& name,
                         std::string_view bytes, Events events);

 private:
  Result<bool> IsOurs(const std::string& path, const PlanId& plan, const AgentId& agent,
                      const std::string& name, const std::string& wanted);
  [[nodiscard]] Result<bool> IsTorn(const Content& version, std::string_view there);
  // Tells of every version of the file until that is enough.
  Result<void> ForEachVersion(const PlanId& plan, const AgentId& agent, const std::string& name,
                              const std::function<bool(const Event&, const InputArrived&)>& is_enough);

  Core& core_;
  Journal& journal_;
  FileSystem& files_;
  Mirror& mirror_;
};

}  // namespace agenttalk
