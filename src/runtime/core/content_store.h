#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/number_table.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "model/content/content.h"

namespace agenttalk {

// The bytes behind Content references: those on their way into the journal, the recently used ones, and,
// through the journal, all others. Contents are immutable, so what is cached never goes stale.
class ContentStore final : public ContentSink {
 public:
  // Rows take contents up to this size; larger ones become blobs.
  static constexpr std::size_t kLargestInRow = 2048;
  // What Shrink keeps.
  static constexpr std::size_t kKeptAtRest = std::size_t{1} << 20;

  explicit ContentStore(Journal& journal, std::size_t cache_bytes = std::size_t{8} << 20)
      : journal_(journal), capacity_(cache_bytes) {}

  // Bytes that are known already are not stored again.
  Content Store(std::string bytes, std::uint64_t row) override;
  Result<std::shared_ptr<const std::string>> Load(const Content& content);
  // As Load, for what is in memory; null otherwise.
  [[nodiscard]] std::shared_ptr<const std::string> FindHere(const Content& content);

  // What is in the journal, past the cache and from any thread.
  [[nodiscard]] Result<std::string> ReadDurable(const Content& content) const {
    return journal_.ReadContent(content);
  }

  // What Store has gathered since the last call: contents by the row that takes them, and blobs.
  struct Gathered {
    std::vector<std::pair<std::uint64_t, NewContent>> in_rows;
    std::vector<NewContent> blobs;
  };
  Gathered TakeGathered();
  // Everything up to this event is in the journal and need not be kept in memory.
  void Committed(std::uint64_t event);
  // Keeps only the most recently used ones of what is in the journal, for when nobody needs them soon.
  void Shrink();
  // Forgets what is in the journal: contents that are stored again are stored anew, not found elsewhere.
  void ForgetCommitted();

 private:
  static constexpr std::uint32_t kNone = NumberTable::kNone;

  // A place in `entries_`, in use or free. Those in use are linked, most recently used first.
  struct Entry {
    Content content;
    std::shared_ptr<const std::string> bytes;
    std::uint64_t needed_until = 0;  // an event not yet committed names it
    std::uint32_t newer = kNone;
    std::uint32_t older = kNone;
  };

  // The entry of a content, as the most recently used one; null when it is not here.
  Entry* Use(const Digest& digest);
  void Remember(const Content& content, std::shared_ptr<const std::string> bytes, std::uint64_t needed_until);
  void Evict(std::size_t most);
  void Drop(std::uint32_t place);
  void Link(std::uint32_t place);
  void Unlink(std::uint32_t place);

  Journal& journal_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  std::uint64_t committed_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::uint32_t newest_ = kNone;
  std::uint32_t oldest_ = kNone;
  NumberTable by_digest_;
  Gathered gathered_;
};

}  // namespace agenttalk
