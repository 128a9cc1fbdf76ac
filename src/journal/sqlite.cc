#include "journal/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"

namespace agenttalk {
namespace {

constexpr int kBusyMilliseconds = 5000;

struct Kind {
  ErrorCode code;
  const char* hint;
};

Kind KindOf(int result) {
  switch (result & 0xFF) {
    case SQLITE_FULL:
      return {ErrorCode::kDiskFull, "free some space; nothing that was acknowledged is lost"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::kJournalDamaged, "'agenttalk doctor' says what is readable; restore a backup"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kHubLocked, "another program has the journal open; close it"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::kPermissionDenied, "the journal's files and folder must be writable"};
    default:
      return {ErrorCode::kIo, ""};
  }
}

}  // namespace

Error SqliteError(sqlite3* handle, std::string_view doing) {
  const int result = sqlite3_extended_errcode(handle);
  const Kind kind = KindOf(result);
  return Error{kind.code, fmt::format("{}: {} (SQLite {})", doing, sqlite3_errmsg(handle), result),
               kind.hint};
}

void Statement::Deleter::operator()(sqlite3_stmt* handle) const {
  sqlite3_finalize(handle);
}

// A failed bind leaves the parameter NULL, which the schema's NOT NULL refuses at Step.
Statement& Statement::Bind(int index, std::uint64_t value) {
  sqlite3_bind_int64(handle_.get(), index, static_cast<sqlite3_int64>(value));
  return *this;
}

Statement& Statement::BindText(int index, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_text64(handle_.get(), index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Statement& Statement::BindBlob(int index, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  sqlite3_bind_blob64(handle_.get(), index, data, value.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::BindNull(int index) {
  sqlite3_bind_null(handle_.get(), index);
  return *this;
}

Result<bool> Statement::Step() {
  const int result = sqlite3_step(handle_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) {
    Error error = SqliteError(sqlite3_db_handle(handle_.get()), sqlite3_sql(handle_.get()));
    Reset();
    return std::unexpected(std::move(error));
  }
  Reset();
  return false;
}

Result<void> Statement::Run() {
  TRY(Step());
  Reset();
  return {};
}

void Statement::Reset() {
  if (handle_ != nullptr) sqlite3_reset(handle_.get());
}

std::uint64_t Statement::Int(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_.get(), column));
}

// Not sqlite3_column_text: a damaged file may hold a blob here, and a conversion would hide it.
std::string_view Statement::Text(int column) const {
  return Blob(column);
}

std::string_view Statement::Blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

bool Statement::IsNull(int column) const {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

void Database::Deleter::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Result<Database> Database::Open(const std::filesystem::path& file, Mode mode) {
  // Each connection is used by one thread at a time, so SQLite's own mutexes would only cost.
  const int access =
      mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int result = sqlite3_open_v2(file.c_str(), &handle, access | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle);
  if (result != SQLITE_OK) return std::unexpected(SqliteError(handle, "open " + file.string()));
  // Before anything else: a connection that fails at its first statement and is closed would otherwise do
  // away with a log that it never read (seen when the index of the log could not be made on a full disk).
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  // SQLite quietly falls back to reading where writing is refused, and would complain at some later
  // statement.
  if (mode != Mode::kReadOnly && sqlite3_db_readonly(handle, "main") == 1) {
    return Fail(ErrorCode::kPermissionDenied, "open " + file.string() + ": it can only be read",
                "the journal's files and folder must be writable");
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // A server has several connections, and whatever one of them evicts the kernel still has.
  TRY(database.Execute("PRAGMA cache_size = -2048; PRAGMA cell_size_check = ON"));
  return database;
}

Result<void> Database::Execute(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return std::unexpected(SqliteError(handle_.get(), sql));
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int result = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (result != SQLITE_OK) return std::unexpected(SqliteError(handle_.get(), sql));
  return Statement(statement);
}

Result<std::uint64_t> Database::QueryInt(std::string_view sql) {
  Statement statement = TRY(Prepare(sql));
  if (!TRY(statement.Step())) return Fail(ErrorCode::kNotFound, fmt::format("{}: no row", sql));
  return statement.Int(0);
}

bool Database::InTransaction() const {
  return sqlite3_get_autocommit(handle_.get()) == 0;
}

}  // namespace agenttalk
