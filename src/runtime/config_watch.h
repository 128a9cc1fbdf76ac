#pragma once

#include <filesystem>
#include <string>

#include "runtime/team.h"

namespace agenttalk {

// Notices that one of the files which describe the team has changed: agenttalk.yaml, profiles, procedures,
// skills, stage prompts. It looks at sizes and times alone, which is cheap enough for every heartbeat.
class ConfigWatch {
 public:
  ConfigWatch(std::filesystem::path hub, const Team& team);
  // True once for each change.
  bool HasChanged();

 private:
  [[nodiscard]] std::string Look() const;

  const std::filesystem::path hub_;
  const std::string sops_;
  std::string seen_;
};

}  // namespace agenttalk
