#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "journal/plan_directory.h"
#include "journal/sqlite.h"

namespace agenttalk {

// The directories of large plans: a row for each page, next to one another.
class DirectoryTable {
 public:
  // For the writer.
  static Result<DirectoryTable> Open(Database& database);

  // Takes the place of the one before.
  Result<void> Write(std::uint64_t stream, const PlanDirectory& directory);
  Result<void> Remove(std::uint64_t stream);

 private:
  Statement insert_;
  Statement remove_;
};

// The page for `name` in the directory that was made when the stream had this version. A damaged page is as
// good as none.
Result<std::optional<std::string>> ReadDirectoryPage(Database& database, std::uint64_t stream,
                                                     std::uint64_t version, std::string_view name);

}  // namespace agenttalk
