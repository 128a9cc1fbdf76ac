#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "engine/step.h"
#include "journal/journal.h"
#include "model/content.h"

namespace agenttalk {

// The bytes behind Content references: those on their way into the journal, the recently used ones, and,
// through the journal, all others. Contents are immutable, so what is cached never goes stale.
class ContentStore final : public ContentSink {
 public:
  // Rows take contents up to this size; larger ones become blobs.
  static constexpr std::size_t kLargestInRow = 2048;

  explicit ContentStore(Journal& journal, std::size_t cache_bytes = std::size_t{32} << 20)
      : journal_(journal), capacity_(cache_bytes) {}

  // Bytes that are known already are not stored again.
  Content Store(std::string bytes, std::uint64_t row) override;
  Result<std::shared_ptr<const std::string>> Load(const Content& content);

  // What Store has gathered since the last call: contents by the row that takes them, and blobs.
  struct Gathered {
    std::vector<std::pair<std::uint64_t, NewContent>> in_rows;
    std::vector<NewContent> blobs;
  };
  Gathered TakeGathered();
  // Everything up to this event is in the journal and need not be kept in memory.
  void Committed(std::uint64_t event);

 private:
  struct Entry {
    Content content;
    std::shared_ptr<const std::string> bytes;
    std::uint64_t needed_until = 0;  // an event not yet committed names it
  };
  using Entries = std::list<Entry>;  // most recently used first

  void Remember(const Content& content, std::shared_ptr<const std::string> bytes, std::uint64_t needed_until);
  void Evict();

  Journal& journal_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  std::uint64_t committed_ = 0;
  Entries entries_;
  std::unordered_map<Digest, Entries::iterator> index_;
  Gathered gathered_;
};

}  // namespace agenttalk
