#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "tools/tool.h"

namespace agenttalk {

// read_file, write_file, list_files, search_files: within the folder of the command that the agent works on.
std::vector<std::unique_ptr<Tool>> MakeFileTools(const std::filesystem::path& hub);

}  // namespace agenttalk
