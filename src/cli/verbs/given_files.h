#pragma once

#include <boost/json/fwd.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace agenttalk {

// Files from the disk, by base name.
using LoadedFiles = std::vector<std::pair<std::string, std::string>>;

// The files that paths stand for: each a file, a folder (everything below it), or a path whose last part is a
// glob. `hint` says where a path that leads nowhere can be corrected. Two files of one name, a name that no
// input can have, and too much are errors.
Result<LoadedFiles> LoadGivenFiles(const std::filesystem::path& directory,
                                   const std::vector<std::string>& paths, const std::string& hint);

// As a request holds them.
boost::json::array FilesOfRequest(const LoadedFiles& files);

}  // namespace agenttalk
