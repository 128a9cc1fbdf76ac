#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "runtime/files/file_sink.h"

namespace agenttalk {

struct FileDifference {
  enum class Kind : std::uint8_t {
    kMissing,
    kDiffers,
    kNewer,  // in a box: a stranger's file, which the next look takes in as a new version
    kExtra,  // nothing that is open any more
  };
  std::string path;
  Kind kind = Kind::kMissing;
};

struct FileComparison {
  std::uint64_t checked = 0;
  std::vector<FileDifference> differences;
};

// What differs from what should be there. Changes nothing.
Result<FileComparison> CompareFiles(const FileSet& wanted, FileSystem& files, Mirror& mirror);

}  // namespace agenttalk
