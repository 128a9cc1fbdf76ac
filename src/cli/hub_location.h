#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"

namespace agenttalk {

// The file that makes a directory a hub.
inline constexpr const char* kHubFile = "agenttalk.yaml";

// `named` (--hub) wins, then AGENTTALK_HUB, then the nearest directory from `start` upwards that is a hub. A
// hub that was named but is none is HUB_MISSING; nothing named and nothing found is no error here. The hub,
// and every folder that is searched for one, must belong to this user or root: PERMISSION_DENIED says which
// does not.
Result<std::optional<std::filesystem::path>> FindHub(const std::string& named,
                                                     const std::filesystem::path& start);

}  // namespace agenttalk
