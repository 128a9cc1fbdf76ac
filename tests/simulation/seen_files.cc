#include "simulation/seen_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

#include "base/digest.h"
#include "mailbox/sim_file_system.h"
#include "model/events/event.h"
#include "simulation/oracle.h"

namespace agenttalk {

void SeenFiles::Read(const Event& event) {
  if (const auto* closed = std::get_if<QuestionClosed>(&event.body))
    questions_[closed->question].closed = true;
  if (std::holds_alternative<QuestionAsked>(event.body)) questions_[event.number] = {};
  const auto* arrived = std::get_if<InputArrived>(&event.body);
  if (arrived == nullptr || event.plan_id.empty()) return;
  const std::string path =
      fmt::format("agents/{}/inbox/{}/{}", arrived->agent_id.str(), event.plan_id.str(), arrived->name);
  if (arrived->source) found_.insert(path + arrived->content.digest.Hex());
  delivered_[path].versions.push_back(arrived->content.digest);
}

void SeenFiles::Check(const SimFileSystem& files) {
  for (auto& [path, file] : delivered_) {
    const auto bytes = files.Contents(path);
    if (!bytes) continue;
    const Digest there = Sha256(*bytes);
    const auto newest = std::find(file.versions.rbegin(), file.versions.rend(), there);
    if (newest == file.versions.rend() || found_.contains(path + there.Hex())) continue;
    const auto number = static_cast<std::size_t>(file.versions.rend() - newest);
    if (number < file.seen)
      throw Violation(
          fmt::format("{} is older than what was there: version {} after {}", path, number, file.seen));
    file.seen = number;
  }
  for (auto& [number, question] : questions_) {
    const bool is_there = files.Exists(fmt::format("human/inbox/q_{}.json", number));
    if (is_there && question.gone)
      throw Violation(fmt::format("question {} is closed, and older than what was there", number));
    question.seen = question.seen || is_there;
    question.gone = question.closed && question.seen && !is_there;
  }
}

void SeenFiles::PowerCut() {
  for (auto& [number, question] : questions_) question.seen = question.gone = false;
  for (auto& [path, file] : delivered_) file.seen = 0;
}

}  // namespace agenttalk
