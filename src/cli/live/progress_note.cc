#include "cli/live/progress_note.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <optional>
#include <string>

#include "cli/hub_call.h"

namespace agenttalk {

std::optional<std::string> ProgressNote(const boost::json::object& event) {
  if (CellText(event.at("type")) != "status_reported") return std::nullopt;
  const boost::json::value& data = event.at("data");
  if (CellText(data.at("status")) != "in_progress") return std::nullopt;
  const std::string task = CellText(data.at("task_id"));
  return fmt::format("{}: {}", task.empty() ? CellText(data.at("command_id")) : task,
                     CellText(data.at("summary")));
}

}  // namespace agenttalk
