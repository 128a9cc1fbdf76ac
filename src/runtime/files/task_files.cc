#include "runtime/files/task_files.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <variant>

#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "mailbox/mirror.h"
#include "model/events/event.h"
#include "runtime/files/file_sink.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::string FolderOf(const PlanId& plan) {
  return fmt::format("plans/{}", plan.str());
}

void ShowDag(const Event& event, const DagAdopted& adopted, FileSink& sink) {
  const std::string folder = FolderOf(event.plan_id);
  sink.Publish(folder + "/task_dag.json", adopted.dag, Overwrite::kAlways);
  const std::string name = fmt::format("{}/dag_history/rev_{:04}", folder, adopted.revision);
  sink.Publish(name + ".task_dag.json", adopted.dag, Overwrite::kAlways);
  const json::object about{
      {"revision", adopted.revision}, {"sha256", adopted.dag.digest.Hex()},  {"author", adopted.author},
      {"reason", adopted.reason},     {"adopted_at", ToRfc3339(event.time)}, {"tasks", adopted.nodes.size()},
      {"event", event.number}};
  sink.PublishText(name + ".json", PrettyJson(about));
}

// A command that the engine made was never a stranger's file: it lies where those go that were taken in.
void ShowCommand(const Event& event, const CommandReceived& received, FileSink& sink) {
  if (received.source || received.command.task_id.empty()) return;
  sink.Publish(fmt::format("agents/{}/inbox/.processed/{}/{}.json", received.agent_id.str(),
                           event.plan_id.str(), received.command.command_id.str()),
               received.body, Overwrite::kAlways);
}

}  // namespace

void ShowTaskFiles(const Event& event, FileSink& sink) {
  if (const auto* adopted = std::get_if<DagAdopted>(&event.body)) {
    ShowDag(event, *adopted, sink);
  } else if (const auto* received = std::get_if<CommandReceived>(&event.body)) {
    ShowCommand(event, *received, sink);
  } else if (const auto* completed = std::get_if<TaskCompleted>(&event.body)) {
    for (const NamedContent& one : completed->deliverables) {
      sink.Publish(fmt::format("{}/deliverables/{}", FolderOf(event.plan_id), one.name), one.content,
                   Overwrite::kAlways);
    }
  }
}

}  // namespace agenttalk
