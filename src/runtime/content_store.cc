#include "runtime/content_store.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "journal/journal.h"
#include "model/content.h"

namespace agenttalk {

Content ContentStore::Store(std::string bytes, std::uint64_t row) {
  Content content;
  content.digest = Sha256(bytes);
  if (const auto known = index_.find(content.digest); known != index_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    return known->second->content;
  }
  content.size = bytes.size();
  auto shared = std::make_shared<const std::string>(std::move(bytes));
  if (content.size <= kLargestInRow) {
    content.row = row;
    gathered_.in_rows.emplace_back(row, NewContent{content.digest, shared});
  } else {
    gathered_.blobs.push_back({content.digest, shared});
  }
  Remember(content, std::move(shared), row);
  return content;
}

Result<std::shared_ptr<const std::string>> ContentStore::Load(const Content& content) {
  if (const auto known = index_.find(content.digest); known != index_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
    return known->second->bytes;
  }
  auto shared = std::make_shared<const std::string>(TRY(journal_.ReadContent(content)));
  Remember(content, shared, 0);
  return shared;
}

void ContentStore::Remember(const Content& content, std::shared_ptr<const std::string> bytes,
                            std::uint64_t needed_until) {
  used_ += bytes->size();
  entries_.push_front({content, std::move(bytes), needed_until});
  index_.emplace(content.digest, entries_.begin());
  Evict();
}

void ContentStore::Evict() {
  // The oldest are committed first, so what is still needed is near the front and the loop stops there.
  while (used_ > capacity_ && entries_.size() > 1 && entries_.back().needed_until <= committed_) {
    used_ -= entries_.back().bytes->size();
    index_.erase(entries_.back().content.digest);
    entries_.pop_back();
  }
}

ContentStore::Gathered ContentStore::TakeGathered() {
  return std::exchange(gathered_, {});
}

void ContentStore::Committed(std::uint64_t event) {
  committed_ = std::max(committed_, event);
  Evict();
}

}  // namespace agenttalk
