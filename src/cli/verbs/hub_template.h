#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace agenttalk {

// The templates that `init` can make a hub from; the first folder below templates/ is a template's name.
std::vector<std::string> TemplateNames();

// Writes the template's files and the hub's empty folders into `directory`, which is made when it is missing.
// Returns the written paths, relative to it. ALREADY_EXISTS when it is a hub already or when one of the files
// is there: nothing of a person's is overwritten, and nothing is written then.
Result<std::vector<std::string>> MakeHub(const std::filesystem::path& directory,
                                         const std::string& template_name);

}  // namespace agenttalk
