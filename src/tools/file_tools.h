#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "tools/tool.h"

namespace agenttalk {

// Runs something on the loop's thread, soon.
using PostToLoop = std::function<void(std::function<void()>)>;

// read_file, write_file, list_files, search_files: within the folder of the command that the agent works on.
// With `post` each call has a thread of its own; without it, it is done before Run returns.
std::vector<std::unique_ptr<Tool>> MakeFileTools(const std::filesystem::path& hub,
                                                 const PostToLoop& post = {});

}  // namespace agenttalk
