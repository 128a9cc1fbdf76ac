#include "runtime/core/content_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "journal/journal.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

// What a cached content takes beside its bytes: its entry, its places in table and allocator.
constexpr std::size_t kOverhead = 160;
constexpr std::size_t kUsualInRow = 4;  // an answer, its result, the message, the next request

}  // namespace

Content ContentStore::Store(std::string bytes, std::uint64_t row) {
  Content content;
  content.digest = Sha256(bytes);
  if (const Entry* known = Use(content.digest)) return known->content;
  content.size = bytes.size();
  auto shared = std::make_shared<const std::string>(std::move(bytes));
  if (content.size <= kLargestInRow) {
    content.row = row;
    if (gathered_.in_rows.empty()) gathered_.in_rows.reserve(kUsualInRow);
    gathered_.in_rows.emplace_back(row, NewContent{content.digest, shared});
  } else {
    gathered_.blobs.push_back({content.digest, shared});
  }
  Remember(content, std::move(shared), row);
  return content;
}

Result<std::shared_ptr<const std::string>> ContentStore::Load(const Content& content) {
  if (const Entry* known = Use(content.digest)) return known->bytes;
  auto shared = std::make_shared<const std::string>(TRY(journal_.ReadContent(content)));
  Remember(content, shared, 0);
  return shared;
}

std::shared_ptr<const std::string> ContentStore::FindHere(const Content& content) {
  const Entry* known = Use(content.digest);
  return known == nullptr ? nullptr : known->bytes;
}

ContentStore::Entry* ContentStore::Use(const Digest& digest) {
  const std::uint32_t place = by_digest_.Find(std::hash<Digest>{}(digest), [&](std::uint32_t number) {
    return entries_[number].content.digest == digest;
  });
  if (place == kNone) return nullptr;
  if (place != newest_) {
    Unlink(place);
    Link(place);
  }
  return &entries_[place];
}

void ContentStore::Link(std::uint32_t place) {
  entries_[place].newer = kNone;
  entries_[place].older = newest_;
  (newest_ == kNone ? oldest_ : entries_[newest_].newer) = place;
  newest_ = place;
}

void ContentStore::Unlink(std::uint32_t place) {
  const Entry& entry = entries_[place];
  (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
}

void ContentStore::Remember(const Content& content, std::shared_ptr<const std::string> bytes,
                            std::uint64_t needed_until) {
  used_ += bytes->size() + kOverhead;
  std::uint32_t place = static_cast<std::uint32_t>(entries_.size());
  if (free_.empty()) {
    entries_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  entries_[place] = {content, std::move(bytes), needed_until, kNone, kNone};
  by_digest_.Add(std::hash<Digest>{}(content.digest), place);
  Link(place);
  Evict(capacity_);
}

void ContentStore::Shrink() {
  Evict(std::min(capacity_, kKeptAtRest));
  // One that is larger than that goes, too.
  if (oldest_ != kNone && used_ > kKeptAtRest && entries_[oldest_].needed_until <= committed_) Drop(oldest_);
}

void ContentStore::Evict(std::size_t most) {
  // The oldest are committed first, so what is still needed is near the front and the loop stops there.
  while (used_ > most && oldest_ != newest_ && entries_[oldest_].needed_until <= committed_) {
    Drop(oldest_);
  }
}

void ContentStore::Drop(std::uint32_t place) {
  used_ -= entries_[place].bytes->size() + kOverhead;
  by_digest_.Remove(std::hash<Digest>{}(entries_[place].content.digest), place);
  Unlink(place);
  entries_[place] = {};
  free_.push_back(place);
}

void ContentStore::ForgetCommitted() {
  for (std::uint32_t place = oldest_; place != kNone;) {
    const std::uint32_t next = entries_[place].newer;
    if (entries_[place].needed_until <= committed_) Drop(place);
    place = next;
  }
}

ContentStore::Gathered ContentStore::TakeGathered() {
  return std::exchange(gathered_, {});
}

void ContentStore::Committed(std::uint64_t event) {
  committed_ = std::max(committed_, event);
  Evict(capacity_);
}

}  // namespace agenttalk
