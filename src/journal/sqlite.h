#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

// The little of SQLite's C interface that the journal needs, with owned handles and Results.
namespace agenttalk {

// A prepared statement. Bind (1-based), Step until false, Reset; bound texts and blobs must live until Reset.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}

  Statement& Bind(int index, std::uint64_t value);
  Statement& BindText(int index, std::string_view value);
  Statement& BindBlob(int index, std::string_view value);
  Statement& BindNull(int index);

  // True: a row stands ready. False: done, and the statement is reset.
  Result<bool> Step();
  // For statements that return nothing: one Step and a Reset.
  Result<void> Run();
  void Reset();

  // Columns are 0-based; views live until the next Step or Reset.
  [[nodiscard]] std::uint64_t Int(int column) const;
  [[nodiscard]] std::string_view Text(int column) const;
  [[nodiscard]] std::string_view Blob(int column) const;
  [[nodiscard]] bool IsNull(int column) const;

 private:
  struct Deleter {
    void operator()(sqlite3_stmt* handle) const;
  };
  std::unique_ptr<sqlite3_stmt, Deleter> handle_;
};

// Resets a statement at the end of a scope, so that it never holds a read transaction open by accident.
class StatementScope {
 public:
  explicit StatementScope(Statement& statement) : statement_(statement) {}
  ~StatementScope() { statement_.Reset(); }
  StatementScope(const StatementScope&) = delete;
  StatementScope& operator=(const StatementScope&) = delete;

 private:
  Statement& statement_;
};

// One connection, for one thread at a time.
class Database {
 public:
  enum class Mode { kReadOnly, kCreate };

  static Result<Database> Open(const std::filesystem::path& file, Mode mode);

  Result<void> Execute(const std::string& sql);
  Result<Statement> Prepare(std::string_view sql);
  // The single number that a query returns; fails when there is none.
  Result<std::uint64_t> QueryInt(std::string_view sql);
  [[nodiscard]] bool InTransaction() const;
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  struct Deleter {
    void operator()(sqlite3* handle) const;
  };
  explicit Database(sqlite3* handle) : handle_(handle) {}
  std::unique_ptr<sqlite3, Deleter> handle_;
};

// What the last call on this connection complained about: full disk, damage, a lock, or the rest.
Error SqliteError(sqlite3* handle, std::string_view doing);

}  // namespace agenttalk
