#include "journal/plan_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "journal/plan_summary.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"
#include "model/content/plan_tags.h"

namespace agenttalk {
namespace {

constexpr std::string_view kLive = "live";
constexpr std::string_view kColumns =
    "stream, state, opened, letters, updated, created, completed, total, input_tokens, output_tokens, "
    "micro_usd, unpriced, crc, name, goal, ";
constexpr std::string_view kTagColumn = "tags";
constexpr std::string_view kNoTags = "''";

std::uint64_t Count(Timestamp time) {
  const auto count = time.time_since_epoch().count();
  return count < 0 ? 0 : static_cast<std::uint64_t>(count);
}

Timestamp TimeOf(std::uint64_t count) {
  return Timestamp(Duration(static_cast<Duration::rep>(count)));
}

// With a space around each, so that one is found by its text; none has a space in it.
std::string TagText(const PlanTags& tags) {
  std::string text;
  for (const std::string& tag : tags) text.append(text.empty() ? " " : "").append(tag).append(" ");
  return text;
}

PlanTags TagsIn(std::string_view text) {
  PlanTags tags;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) tags.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tags;
}

// Without `created`: it is written once and the rest many times.
std::uint32_t SummaryCrc(std::uint64_t stream, std::string_view state, const PlanSummary& of) {
  std::string text = of.plan.str();
  for (const std::string_view part : {state, std::string_view(of.goal)}) {
    text.push_back('\0');
    text.append(part);
  }
  // A plan without any has the checksum that it had before there were tags.
  if (!of.tags.empty()) text.append(1, '\0').append(TagText(of.tags));
  return RecordCrc(text, {stream, of.opened ? std::uint64_t{1} : 0, of.letters, Count(of.updated_at),
                          of.tasks_completed, of.tasks_total, of.cost.input_tokens, of.cost.output_tokens,
                          of.cost.micro_usd, of.cost.unpriced});
}

PlanSummary SummaryAt(const Statement& at) {
  PlanSummary summary{.plan = PlanId(std::string(at.Text(13))),
                      .state = std::string(at.Text(1)),
                      .opened = at.Int(2) != 0,
                      .goal = std::string(at.Text(14)),
                      .tasks_completed = at.Int(6),
                      .tasks_total = at.Int(7),
                      .letters = at.Int(3),
                      .created_at = TimeOf(at.Int(5)),
                      .updated_at = TimeOf(at.Int(4)),
                      .cost = {at.Int(8), at.Int(9), at.Int(10), at.Int(11)},
                      .tags = TagsIn(at.Text(15)),
                      .exact = true,
                      .order = at.Int(0)};
  summary.exact = summary.state != kLive && at.Int(12) == SummaryCrc(summary.order, summary.state, summary);
  return summary;
}

std::string LikePattern(std::string_view text) {
  std::string pattern = "%";
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern.push_back('\\');
    pattern.push_back(c);
  }
  return pattern + "%";
}

// What is asked of plans that are not live.
std::string Conditions(const SummaryQuery& query, std::string_view tags) {
  std::string text = query.state.empty() ? "state <> 'live'" : "state = ?2";
  if (query.since != Timestamp{}) text += " AND updated >= ?3";
  if (query.until != Timestamp::max()) text += " AND updated < ?4";
  if (!query.text.empty()) text += " AND (name LIKE ?5 ESCAPE '\\' OR goal LIKE ?5 ESCAPE '\\')";
  if (!query.tag.empty()) text += fmt::format(" AND instr({}, ?6) > 0", tags);
  return text;
}

}  // namespace

Result<PlanTable> PlanTable::Open(Database& database) {
  PlanTable table;
  table.write_ = TRY(database.Prepare(
      fmt::format("INSERT INTO plans({}{}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                  "ON CONFLICT(stream) DO UPDATE SET state = ?2, opened = ?3, letters = ?4, updated = ?5, "
                  "completed = ?7, total = ?8, input_tokens = ?9, output_tokens = ?10, micro_usd = ?11, "
                  "unpriced = ?12, crc = ?13, goal = ?15, tags = ?16",
                  kColumns, kTagColumn)));
  table.mark_live_ =
      TRY(database.Prepare("UPDATE plans SET state = 'live' WHERE stream = ? AND state <> 'live'"));
  table.remove_ = TRY(database.Prepare("DELETE FROM plans WHERE stream = ?"));
  return table;
}

Result<void> PlanTable::Write(std::uint64_t stream, const PlanSummary& summary, bool live) {
  const std::string_view state = live ? kLive : std::string_view(summary.state);
  const std::string tags = TagText(summary.tags);
  return write_.Bind(1, stream)
      .BindText(2, state)
      .Bind(3, summary.opened ? 1 : 0)
      .Bind(4, summary.letters)
      .Bind(5, Count(summary.updated_at))
      .Bind(6, Count(summary.created_at))
      .Bind(7, summary.tasks_completed)
      .Bind(8, summary.tasks_total)
      .Bind(9, summary.cost.input_tokens)
      .Bind(10, summary.cost.output_tokens)
      .Bind(11, summary.cost.micro_usd)
      .Bind(12, summary.cost.unpriced)
      .Bind(13, SummaryCrc(stream, state, summary))
      .BindText(14, summary.plan.str())
      .BindText(15, summary.goal)
      .BindText(16, tags)
      .Run();
}

Result<void> PlanTable::MarkLive(std::uint64_t stream) {
  return mark_live_.Bind(1, stream).Run();
}

Result<void> PlanTable::Remove(std::uint64_t stream) {
  return remove_.Bind(1, stream).Run();
}

Result<std::vector<PlanSummary>> ReadSummaries(Database& database, const SummaryQuery& query, bool has_tags) {
  // Two runs through an index, each newest first, and merged: the live ones, and those that fit.
  const std::string_view letters = query.with_letters ? " AND letters > 0" : "";
  const std::string_view tags = has_tags ? kTagColumn : kNoTags;
  const std::string select = fmt::format("SELECT {}{} FROM plans WHERE stream < ?1", kColumns, tags);
  Statement live = TRY(database.Prepare(select + " AND state = 'live' ORDER BY stream DESC"));
  Statement rest = TRY(database.Prepare(
      fmt::format("{} AND {}{} ORDER BY stream DESC", select, Conditions(query, tags), letters)));
  const std::uint64_t before = query.before > INT64_MAX ? INT64_MAX : query.before;
  const std::string pattern = LikePattern(query.text);
  const std::string tag = TagText({query.tag});
  live.Bind(1, before);
  rest.Bind(1, before);
  if (!query.state.empty()) rest.BindText(2, query.state);
  if (query.since != Timestamp{}) rest.Bind(3, Count(query.since));
  if (query.until != Timestamp::max()) rest.Bind(4, Count(query.until));
  if (!query.text.empty()) rest.BindText(5, pattern);
  if (!query.tag.empty()) rest.BindText(6, tag);
  bool has_live = TRY(live.Step());
  bool has_rest = TRY(rest.Step());
  std::vector<PlanSummary> found;
  for (std::size_t counted = 0; (has_live || has_rest) && counted < query.limit;) {
    const bool takes_live = has_live && (!has_rest || live.Int(0) > rest.Int(0));
    Statement& from = takes_live ? live : rest;
    found.push_back(SummaryAt(from));
    if (query.counts_live || found.back().exact) ++counted;
    (takes_live ? has_live : has_rest) = TRY(from.Step());
  }
  return found;
}

Result<std::optional<std::uint64_t>> OrderOf(Database& database, std::uint64_t stream) {
  Statement find = TRY(database.Prepare("SELECT stream FROM plans WHERE stream = ?"));
  if (!TRY(find.Bind(1, stream).Step())) return std::nullopt;
  return stream;
}

}  // namespace agenttalk
