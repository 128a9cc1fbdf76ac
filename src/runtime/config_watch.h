#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "runtime/team.h"

namespace agenttalk {

// Notices that one of the files which describe the team has changed: agenttalk.yaml, profiles, procedures,
// skills, stage prompts. It looks at sizes and times alone, which is cheap enough for every heartbeat.
class ConfigWatch {
 public:
  ConfigWatch(std::filesystem::path hub, const Team& team);
  // True once for each change.
  bool HasChanged();
  // False: the kernel tells of changes in these folders, and has told of none since the last look. Changes
  // that it cannot tell of (another machine's) are for HasChanged to find.
  [[nodiscard]] bool MayHaveChanged();

 private:
  [[nodiscard]] std::string Look();
  void Note(const std::filesystem::path& path, std::string& text);
  void NotePrompts(const std::filesystem::path& folder, std::string& text);
  [[nodiscard]] std::vector<std::filesystem::path> EntriesOf(const std::filesystem::path& folder);
  // From now on changes in this folder are told of, if it is there.
  void Listen(const std::filesystem::path& folder);

  const std::filesystem::path hub_;
  const std::string sops_;
  FileDescriptor notices_;
  bool blind_ = false;  // something is not told of: only looking helps
  std::string seen_;
};

}  // namespace agenttalk
