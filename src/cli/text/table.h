#pragma once

#include <string>
#include <vector>

namespace agenttalk {

// Rows for people: every column as wide as its widest cell. The first row is the heading.
std::string TableText(const std::vector<std::vector<std::string>>& rows, bool colors);

}  // namespace agenttalk
