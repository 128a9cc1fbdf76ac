#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "journal/journal.h"

namespace agenttalk {

// Rows copied out of the database, so that visiting them holds neither a lock nor a read transaction: a
// visitor may be slow (a person's pager) or read on itself, and the writer's checkpoints go on meanwhile.
class RowChunk {
 public:
  void Add(const JournalRowView& row) {
    rows_.push_back({row, bytes_.size()});
    bytes_.append(row.events);
    bytes_.append(row.stream);
  }
  [[nodiscard]] bool Full() const { return bytes_.size() >= kBytes || rows_.size() >= kRows; }
  void Clear() {
    rows_.clear();
    bytes_.clear();
  }
  // False: the visitor has had enough.
  [[nodiscard]] bool Visit(const RowVisitor& visit) const {
    for (const Item& item : rows_) {
      JournalRowView view = item.row;
      view.events = std::string_view(bytes_).substr(item.offset, item.row.events.size());
      view.stream =
          std::string_view(bytes_).substr(item.offset + item.row.events.size(), item.row.stream.size());
      if (!visit(view)) return false;
    }
    return true;
  }

 private:
  // About what stays in a core's cache between being copied and being read.
  static constexpr std::size_t kBytes = std::size_t{128} << 10;
  static constexpr std::size_t kRows = 1024;
  struct Item {
    JournalRowView row;  // its `events` and `stream` give the lengths only
    std::size_t offset = 0;
  };

  std::vector<Item> rows_;
  std::string bytes_;
};

}  // namespace agenttalk
