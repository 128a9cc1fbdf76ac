#include "journal/stream_remover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"
#include "journal/stored_row.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kLongestGap = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Result<StreamRemover> StreamRemover::Open(Database& database) {
  StreamRemover remover;
  const std::string select = fmt::format("SELECT {} FROM journal", kRowColumns);
  remover.row_ = TRY(database.Prepare(select + " WHERE first_event = ?"));
  remover.before_ =
      TRY(database.Prepare(select + " WHERE first_event < ? ORDER BY first_event DESC LIMIT 1"));
  remover.after_ = TRY(database.Prepare(select + " WHERE first_event = ? AND stream = 0"));
  remover.update_ = TRY(database.Prepare(
      "UPDATE journal SET stream = 0, version = 0, previous = 0, crc = ?2, payload = ?3 WHERE first_event = "
      "?1"));
  remover.insert_ =
      TRY(database.Prepare("INSERT INTO journal(first_event, stream, version, previous, crc, payload) "
                           "VALUES(?1, 0, 0, 0, ?2, ?3)"));
  remover.remove_ = TRY(database.Prepare("DELETE FROM journal WHERE first_event = ?"));
  remover.remove_snapshot_ = TRY(database.Prepare("DELETE FROM snapshots WHERE stream = ?"));
  remover.remove_imported_ = TRY(database.Prepare("DELETE FROM imported WHERE stream = ?"));
  return remover;
}

Result<void> StreamRemover::Remove(std::uint64_t number, std::uint64_t last_row,
                                   const std::vector<Content>& kept) {
  for (Gap& gap : TRY(CollectRows(number, last_row, kept))) {
    TRY(JoinAfter(gap));
    if (gap.contents.empty() && TRY(JoinBefore(gap))) {
      TRY(remove_.Bind(1, gap.first_event).Run());
    } else {
      TRY(Replace(gap));
    }
  }
  TRY(remove_snapshot_.Bind(1, number).Run());
  return remove_imported_.Bind(1, number).Run();
}

Result<void> StreamRemover::WriteGap(std::uint64_t first_event, std::uint64_t count) {
  return Put({.first_event = first_event, .count = count, .contents = {}}, insert_);
}

Result<std::vector<StreamRemover::Gap>> StreamRemover::CollectRows(std::uint64_t number,
                                                                   std::uint64_t last_row,
                                                                   const std::vector<Content>& kept) {
  std::unordered_multimap<std::uint64_t, const Content*> kept_in;
  for (const Content& content : kept) kept_in.emplace(content.row, &content);
  std::vector<Gap> gaps;
  for (std::uint64_t at = last_row; at != 0;) {
    const StatementScope scope(row_);
    if (!TRY(row_.Bind(1, at).Step())) return DamagedAt(at, "the row is missing");
    const StoredRow row = RowAt(row_);
    const std::optional<RowPayload> payload = DecodePayload(row.payload);
    if (row.stream != number || !payload) return DamagedAt(at, "it does not continue its stream");
    Gap gap{.first_event = at, .count = payload->event_count, .contents = {}};
    const auto [first, last] = kept_in.equal_range(at);
    for (auto one = first; one != last; ++one) {
      const auto bytes = FindContent(payload->contents, one->second->digest);
      if (bytes) AppendContent(one->second->digest, *bytes, gap.contents);
    }
    gaps.push_back(std::move(gap));
    at = row.previous;
  }
  std::ranges::reverse(gaps);
  return gaps;
}

Result<void> StreamRemover::Replace(const Gap& gap) {
  return Put(gap, update_);
}

Result<void> StreamRemover::Put(const Gap& gap, Statement& statement) {
  const std::string payload = GapPayload(gap.count, gap.contents);
  return statement.Bind(1, gap.first_event)
      .Bind(2, RowCrc(GapNameCrc(), gap.first_event, 0, 0, payload))
      .BindBlob(3, payload)
      .Run();
}

Result<bool> StreamRemover::JoinBefore(const Gap& gap) {
  Gap before;
  {
    const StatementScope scope(before_);
    if (!TRY(before_.Bind(1, gap.first_event).Step())) return false;
    const StoredRow row = RowAt(before_);
    if (row.stream != kGapStream) return false;
    const RowPayload payload = TRY(OpenRow(row, GapNameCrc()));
    if (row.first_event + payload.event_count != gap.first_event) return false;
    if (payload.event_count + gap.count > kLongestGap) return false;
    before = {.first_event = row.first_event,
              .count = payload.event_count + gap.count,
              .contents = std::string(payload.contents)};
  }
  TRY(Replace(before));
  return true;
}

Result<void> StreamRemover::JoinAfter(Gap& gap) {
  const std::uint64_t next = gap.first_event + gap.count;
  {
    const StatementScope scope(after_);
    if (!TRY(after_.Bind(1, next).Step())) return {};
    const RowPayload payload = TRY(OpenRow(RowAt(after_), GapNameCrc()));
    if (!payload.contents.empty() || payload.event_count + gap.count > kLongestGap) return {};
    gap.count += payload.event_count;
  }
  return remove_.Bind(1, next).Run();
}

}  // namespace agenttalk
