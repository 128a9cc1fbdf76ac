#include "runtime/files/file_mender.h"

#include <algorithm>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "mailbox/place.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/core.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kLargestMended = std::uint64_t{64} << 20;

}  // namespace

bool IsTornForm(std::string_view there, std::string_view wanted) {
  if (there.size() > wanted.size()) return false;
  const auto [differs, expected] = std::ranges::mismatch(there, wanted);
  return std::all_of(differs, there.end(), [](char c) { return c == 0; });
}

Result<void> FileMender::Mend(const std::string& path) {
  const SplitPath split = SplitAtLast(path);
  const auto place = Place::FromPath(split.directory);
  if (!place) return {};
  const PlanState* plan = TRY(core_.LookUp(place->plan));
  if (plan == nullptr) return {};
  const InputVersion* file = plan->FindFile(place->agent, split.name);
  if (file == nullptr) return {};
  const auto wanted = TRY(core_.contents().Load(file->content));
  if (TRY(IsOurs(path, place->plan, place->agent, split.name, *wanted))) {
    mirror_.Publish(path, *wanted, Overwrite::kAlways);
  }
  return {};
}

Result<bool> FileMender::IsOurs(const std::string& path, const PlanId& plan, const AgentId& agent,
                                const std::string& name, const std::string& wanted) {
  const WholeFile there = TRY(ReadWhole(files_, path, kLargestMended));
  if (there.report.outcome != ReadOutcome::kComplete) return false;
  if (IsTornForm(there.bytes, wanted)) return true;
  const Digest digest = Sha256(there.bytes);
  Result<bool> older = false;
  TRY(ForEachVersion(plan, agent, name, [&](const Event& /*event*/, const InputArrived& arrived) {
    older = arrived.content.digest == digest ? Result<bool>(true) : IsTorn(arrived.content, there.bytes);
    return older.value_or(true);
  }));
  return older;
}

Result<bool> FileMender::IsRemnant(const PlanId& plan, const AgentId& agent, const std::string& name,
                                   std::string_view bytes, Events events) {
  const Digest digest = Sha256(bytes);
  bool known = false;      // with this content the file has been there
  bool delivered = false;  // by us, lately
  bool torn = false;
  Result<void> loaded;
  TRY(ForEachVersion(plan, agent, name, [&](const Event& event, const InputArrived& arrived) {
    known = known || arrived.content.digest == digest;
    if (event.number > events.until) return true;
    if (event.number <= events.after || arrived.source) return false;
    delivered = true;
    if (torn) return false;
    const auto is_torn = IsTorn(arrived.content, bytes);
    if (!is_torn) loaded = std::unexpected(is_torn.error());
    torn = is_torn.value_or(false);
    return !loaded.has_value();
  }));
  TRY(std::move(loaded));
  return delivered && (known || torn);
}

Result<bool> FileMender::IsTorn(const Content& version, std::string_view there) {
  if (there.size() > version.size) return false;
  const auto wanted = TRY(core_.contents().Load(version));
  return IsTornForm(there, *wanted);
}

Result<void> FileMender::ForEachVersion(
    const PlanId& plan, const AgentId& agent, const std::string& name,
    const std::function<bool(const Event&, const InputArrived&)>& is_enough) {
  bool enough = false;
  return journal_.ReadStream(plan, 0, [&](const JournalRowView& row) {
    const auto decoded =
        DecodeEvents(plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
          const auto* arrived = std::get_if<InputArrived>(&event.body);
          if (enough || arrived == nullptr || arrived->agent_id != agent || arrived->name != name) return;
          enough = is_enough(event, *arrived);
        });
    return decoded.has_value() && !enough;
  });
}

}  // namespace agenttalk
