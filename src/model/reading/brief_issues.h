#pragma once

#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"

namespace agenttalk {

// "CODE /path", or "CODE /path:line" where the line is known: short enough to compare lists of them in tests.
inline std::vector<std::string> Brief(const std::vector<Issue>& issues) {
  std::vector<std::string> lines;
  for (const Issue& issue : issues) {
    std::string line(ToString(issue.code));
    line += " " + issue.path;
    if (issue.line != 0) line += ":" + std::to_string(issue.line);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace agenttalk
