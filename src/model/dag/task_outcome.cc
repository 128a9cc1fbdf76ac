#include "model/dag/task_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/dag/task_dag.h"

namespace agenttalk {

bool OutputCondition::Holds(const std::optional<double>& score) const {
  return score && std::ranges::any_of(scores, [&](const ScoreRange& one) { return one.Contains(*score); });
}

std::string OutputTag::FileName() const {
  const std::size_t dot = output.rfind('.');
  const bool has_type = dot != std::string::npos && dot > 0;
  const std::string_view stem = std::string_view(output).substr(0, has_type ? dot : output.size());
  const std::string_view type = std::string_view(output).substr(stem.size());
  return fmt::format("{}.v{}.{}.{}{}", stem, major, minor, patch, type);
}

bool MeansVersions(std::string_view glob) {
  return glob.find(".v") != std::string_view::npos;
}

}  // namespace agenttalk
