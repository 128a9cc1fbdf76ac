#include "journal/sqlite_journal.h"

#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/sqlite_reader.h"
#include "journal/sqlite_writer.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

std::unexpected<Error> ReadOnlyFailure() {
  return Fail(ErrorCode::kPermissionDenied, "the journal was opened for reading only");
}

}  // namespace

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::Open(const std::filesystem::path& directory) {
  std::unique_ptr<SqliteWriter> writer = TRY(SqliteWriter::Open(directory));
  std::unique_ptr<SqliteReader> reader = TRY(SqliteReader::Open(directory, SqliteReader::Names::kChecked));
  return std::unique_ptr<SqliteJournal>(new SqliteJournal(std::move(writer), std::move(reader)));
}

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::OpenReadOnly(const std::filesystem::path& directory) {
  std::unique_ptr<SqliteReader> reader = TRY(SqliteReader::Open(directory, SqliteReader::Names::kUnchecked));
  return std::unique_ptr<SqliteJournal>(new SqliteJournal(nullptr, std::move(reader)));
}

SqliteJournal::SqliteJournal(std::unique_ptr<SqliteWriter> writer, std::unique_ptr<SqliteReader> reader)
    : writer_(std::move(writer)), reader_(std::move(reader)) {}

SqliteJournal::~SqliteJournal() = default;

Result<std::uint64_t> SqliteJournal::BeginEpoch() {
  if (writer_ == nullptr) return ReadOnlyFailure();
  return writer_->BeginEpoch();
}

Result<void> SqliteJournal::Commit(std::span<const Append> appends, std::uint64_t epoch) {
  if (writer_ == nullptr) return ReadOnlyFailure();
  return writer_->Commit(appends, epoch);
}

Result<std::uint64_t> SqliteJournal::LastEvent() {
  return reader_->LastEvent();
}

Result<std::vector<StreamInfo>> SqliteJournal::Streams(bool live_only) {
  return reader_->Streams(live_only);
}

Result<std::optional<StreamInfo>> SqliteJournal::FindStream(const PlanId& stream) {
  return reader_->FindStream(stream);
}

Result<std::optional<Snapshot>> SqliteJournal::LatestSnapshot(const PlanId& stream) {
  return reader_->LatestSnapshot(stream);
}

Result<std::optional<std::string>> SqliteJournal::DirectoryPage(const PlanId& stream, std::string_view name) {
  return reader_->DirectoryPage(stream, name);
}

Result<void> SqliteJournal::ReadStream(const PlanId& stream, std::uint64_t after_version,
                                       const RowVisitor& visit) {
  return reader_->ReadStream(stream, after_version, visit);
}

Result<void> SqliteJournal::ReadAll(std::uint64_t after_event, const RowVisitor& visit) {
  return reader_->ReadAll(after_event, visit);
}

Result<void> SqliteJournal::ReadRow(const PlanId& stream, std::uint64_t event, const RowVisitor& visit) {
  return reader_->ReadRow(stream, event, visit);
}

Result<std::vector<RowCopy>> SqliteJournal::CopyRows(std::uint64_t event) {
  return reader_->CopyRows(event);
}

Result<std::string> SqliteJournal::ReadContent(const Content& content) {
  return reader_->ReadContent(content);
}

Result<bool> SqliteJournal::HasBlob(const Digest& digest) {
  return reader_->HasBlob(digest);
}

Result<bool> SqliteJournal::HasAllSummaries() {
  return reader_->HasAllSummaries();
}

Result<std::vector<PlanSummary>> SqliteJournal::Summaries(const SummaryQuery& query) {
  return reader_->Summaries(query);
}

Result<std::optional<std::uint64_t>> SqliteJournal::OrderOf(const PlanId& plan) {
  return reader_->OrderOf(plan);
}

}  // namespace agenttalk
