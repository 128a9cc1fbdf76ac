#pragma once

#include <utility>

#include "base/error.h"
#include "journal/sqlite.h"

namespace agenttalk {

// One snapshot of the file for several statements.
class ReadTransaction {
 public:
  static Result<ReadTransaction> Begin(Statement& begin, Statement& end) {
    TRY(begin.Run());
    return ReadTransaction(end);
  }
  ReadTransaction(ReadTransaction&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  ReadTransaction& operator=(ReadTransaction&&) = delete;
  ~ReadTransaction() {
    if (end_ != nullptr) (void)end_->Run();
  }

 private:
  explicit ReadTransaction(Statement& end) : end_(&end) {}
  Statement* end_;
};

}  // namespace agenttalk
