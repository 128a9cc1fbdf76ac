#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace agenttalk {

// The whole file, or standard input when `path` is "-". NOT_FOUND, IO, or TOO_LARGE beyond `max_bytes`.
Result<std::string> ReadTextFile(const std::string& path, std::size_t max_bytes);

}  // namespace agenttalk
