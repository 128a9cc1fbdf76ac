#include "mailbox/known_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/mutex.h"
#include "mailbox/file_system.h"
#include "model/events/event.h"

namespace agenttalk {

KnownFiles::Entry* KnownFiles::Find(const std::string& directory, const std::string& name) {
  const auto folder = folders_.find(directory);
  if (folder == folders_.end()) return nullptr;
  const auto entry = folder->second.find(name);
  return entry == folder->second.end() ? nullptr : &entry->second;
}

void KnownFiles::Remember(Entry& entry, const FileStat& stat, const Digest& content) {
  entry.inode = stat.inode;
  entry.mtime_ns = stat.mtime_ns;
  entry.ctime_ns = stat.ctime_ns;
  entry.size = stat.size;
  entry.content = content;
  entry.revision = ++revision_;
  entry.recognized.clear();
  entry.recognized.shrink_to_fit();
}

void KnownFiles::Record(const FileFingerprint& fingerprint, std::int64_t ctime_ns) {
  const MutexLock lock(mutex_);
  FileStat stat;
  stat.inode = fingerprint.inode;
  stat.mtime_ns = fingerprint.mtime_ns;
  stat.ctime_ns = ctime_ns;
  stat.size = fingerprint.size;
  Remember(folders_[fingerprint.directory][fingerprint.name], stat, fingerprint.sha256);
}

void KnownFiles::Recognize(const std::string& directory, const std::string& name, const Digest& content) {
  const MutexLock lock(mutex_);
  RecognizeLocked(directory, name, content);
}

KnownFiles::Entry& KnownFiles::RecognizeLocked(const std::string& directory, const std::string& name,
                                               const Digest& content) {
  Entry& entry = folders_[directory][name];
  entry.revision = ++revision_;
  if (std::ranges::find(entry.recognized, content) == entry.recognized.end())
    entry.recognized.push_back(content);
  return entry;
}

void KnownFiles::Expect(const std::string& directory, const std::string& name, const Digest& content) {
  const MutexLock lock(mutex_);
  RecognizeLocked(directory, name, content).expected = true;
}

bool KnownFiles::TakeExpected(const std::string& directory, const std::string& name) {
  const MutexLock lock(mutex_);
  Entry* entry = Find(directory, name);
  return entry != nullptr && std::exchange(entry->expected, false);
}

void KnownFiles::ExpectNone(const std::string& directory) {
  const MutexLock lock(mutex_);
  const auto folder = folders_.find(directory);
  if (folder == folders_.end()) return;
  for (auto& [name, entry] : folder->second) entry.expected = false;
}

bool KnownFiles::Matches(Entry& entry, const FileStat& stat) {
  if (entry.inode != stat.inode || entry.mtime_ns != stat.mtime_ns || entry.size != stat.size) return false;
  if (entry.ctime_ns == 0) entry.ctime_ns = stat.ctime_ns;
  return entry.ctime_ns == stat.ctime_ns || stat.links > 1;
}

bool KnownFiles::Knows(const std::string& directory, const std::string& name, const FileStat& stat) {
  const MutexLock lock(mutex_);
  Entry* entry = Find(directory, name);
  return entry != nullptr && Matches(*entry, stat);
}

bool KnownFiles::KnowsContent(const std::string& directory, const std::string& name, const FileStat& stat,
                              const Digest& content) {
  const MutexLock lock(mutex_);
  Entry* entry = Find(directory, name);
  if (entry == nullptr) return false;
  const bool same = entry->inode != 0 && entry->content == content;
  if (!same && std::ranges::find(entry->recognized, content) == entry->recognized.end()) return false;
  const std::vector<Digest> recognized = entry->recognized;
  Remember(*entry, stat, content);
  entry->recognized = recognized;
  return true;
}

bool KnownFiles::KnowsWithContent(const std::string& directory, const std::string& name, const FileStat& stat,
                                  const Digest& content) {
  const MutexLock lock(mutex_);
  Entry* entry = Find(directory, name);
  if (entry == nullptr || !Matches(*entry, stat) || entry->content != content) return false;
  entry->recognized.clear();
  return true;
}

bool KnownFiles::HasContents(const std::string& directory, const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto folder = folders_.find(directory);
  return folder != folders_.end() && folder->second.contains(name);
}

void KnownFiles::Forget(const std::string& directory, const std::string& name) {
  const MutexLock lock(mutex_);
  const auto folder = folders_.find(directory);
  if (folder == folders_.end()) return;
  folder->second.erase(name);
  if (folder->second.empty()) folders_.erase(folder);
}

void KnownFiles::ForgetFolder(const std::string& directory) {
  const MutexLock lock(mutex_);
  folders_.erase(directory);
}

void KnownFiles::ForgetFoldersUnless(const std::function<bool(const std::string&)>& is_needed) {
  const MutexLock lock(mutex_);
  const std::uint64_t before = std::exchange(forgot_at_, revision_);
  const auto is_new = [before](const auto& file) { return file.second.revision > before; };
  std::erase_if(folders_, [&](const auto& folder) {
    return !is_needed(folder.first) && std::ranges::none_of(folder.second, is_new);
  });
}

std::size_t KnownFiles::folders() const {
  const MutexLock lock(mutex_);
  return folders_.size();
}

std::size_t KnownFiles::CountIn(const std::string& directory) const {
  const MutexLock lock(mutex_);
  const auto folder = folders_.find(directory);
  return folder == folders_.end() ? 0 : folder->second.size();
}

std::uint64_t KnownFiles::revision() const {
  const MutexLock lock(mutex_);
  return revision_;
}

void KnownFiles::Keep(const std::string& directory, std::uint64_t revision,
                      const std::function<bool(const std::string&)>& is_there) {
  const MutexLock lock(mutex_);
  const auto folder = folders_.find(directory);
  if (folder == folders_.end()) return;
  std::erase_if(folder->second, [&](const auto& item) {
    const Entry& entry = item.second;
    return entry.revision <= revision && entry.recognized.empty() && !is_there(item.first);
  });
  if (folder->second.empty()) folders_.erase(folder);
}

std::size_t KnownFiles::size() const {
  const MutexLock lock(mutex_);
  std::size_t total = 0;
  for (const auto& [directory, folder] : folders_) total += folder.size();
  return total;
}

}  // namespace agenttalk
