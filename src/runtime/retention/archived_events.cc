#include "runtime/retention/archived_events.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/dag_state.h"
#include "engine/state/fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_reminders.h"
#include "journal/journal.h"
#include "journal/stream_changes.h"
#include "mailbox/file_system.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/stored_request.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/history/command_history.h"
#include "runtime/reports/plan_report.h"
#include "runtime/reports/plan_trace.h"
#include "runtime/retention/garbage.h"
#include "runtime/retention/plan_archive.h"

namespace agenttalk {
namespace {

// Nothing, or what may be one part of a path. Longer than ids that people give: the engine makes some of
// them.
bool IsPathPart(std::string_view name) {
  return !name.contains('/') && CheckRelativePath(name).has_value();
}

// When the plan is run again, these become parts of paths.
bool HasSafeNames(const PlanState& plan) {
  for (const CommandRecord& record : plan.commands) {
    if (!IsPathPart(record.id.str()) || !IsPathPart(record.agent.str())) return false;
  }
  for (TaskIndex task = 0; plan.dag && task < plan.dag->size(); ++task) {
    if (!IsPathPart(plan.dag->IdOf(task).str()) || !IsPathPart(plan.dag->AgentOf(task).str())) return false;
  }
  return true;
}

class Checking {
 public:
  explicit Checking(PlanArchive& archive) : archive_(archive) {
    for (const NewContent& content : archive.contents) contents_[content.digest] = content.bytes;
  }

  Result<void> Check() {
    for (const ImportedRow& row : archive_.rows) TRY(CheckRow(row));
    if (named_.size() != contents_.size()) return RefuseArchive("it holds contents that no event names");
    const PlanState* plan = state_.FindPlan(archive_.plan);
    if (plan == nullptr || !plan->opened) return RefuseArchive("its events make no plan");
    if (!HasSafeNames(*plan)) return RefuseArchive("it has names that cannot be parts of paths");
    archive_.summary = SummaryOf(*plan);
    archive_.summary.state = PlanStateName(*plan);
    archive_.summary.exact = true;
    archive_.summary.created_at = created_;
    const std::string& state = archive_.summary.state;
    if (plan->IsLivePlan() || (state != "completed" && state != "failed" && state != "cancelled")) {
      return RefuseArchive("the plan has not ended");
    }
    // As everybody will look at it.
    static_cast<void>(PlanStatusJson(*plan));
    static_cast<void>(PlanTraceJson(archive_.plan, history_, Loader()));
    return {};
  }

 private:
  ContentLoader Loader() {
    return [this](const Content& content) -> Result<std::shared_ptr<const std::string>> {
      const auto found = contents_.find(content.digest);
      if (found == contents_.end() || found->second->size() != content.size) {
        return RefuseArchive(fmt::format("content {} is missing", content.digest.Hex()));
      }
      return found->second;
    };
  }

  Result<void> CheckRow(const ImportedRow& row) {
    Result<void> fits;
    const auto decoded =
        DecodeEvents(archive_.plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
          if (fits) fits = CheckEvent(event);
        });
    if (!decoded) return RefuseArchive(decoded.error().message);
    return fits;
  }

  // What only the hub itself may say would be folded into the hub that imports the plan.
  Result<void> CheckEvent(const Event& event) {
    if (HomeOf(event.body) == EventHome::kHub) {
      return RefuseArchive(fmt::format("{} is no event of a plan", EventName(event.body)));
    }
    Result<void> fits;
    const ContentLoader load = Loader();
    TRY(ForEachNamed(load, event, [&](const Content& content) {
      named_.insert(content.digest);
      if (auto loaded = load(content); !loaded) fits = std::unexpected(loaded.error());
    }));
    TRY(std::move(fits));
    if (created_ == Timestamp{}) created_ = event.time;
    Apply(state_, event);
    history_.See(event);
    return {};
  }

  PlanArchive& archive_;
  std::unordered_map<Digest, std::shared_ptr<const std::string>> contents_;
  std::unordered_set<Digest> named_;
  HubState state_;
  PlanHistory history_;
  Timestamp created_{};
};

}  // namespace

std::unexpected<Error> RefuseArchive(const std::string& what) {
  return Fail(ErrorCode::kValueInvalid, "the archive is refused: " + what,
              "write it again with `agenttalk export PLAN --archive FILE`");
}

Result<void> CheckEvents(PlanArchive& archive) {
  return Checking(archive).Check();
}

}  // namespace agenttalk
