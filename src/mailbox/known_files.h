#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/mutex.h"
#include "mailbox/file_system.h"
#include "model/events/event.h"

namespace agenttalk {

// Files that lie in the folders and need no taking in: what the mirror published there and what was taken in
// and stays. Only a cache: whoever loses it reads a file again and finds its content known. The mirror's
// thread tells it, the loop asks.
class KnownFiles {
 public:
  // The file there is this one.
  void Record(const FileFingerprint& fingerprint, std::int64_t ctime_ns = 0);
  // Whatever file is or will be there: with this content it is known. Told before the mirror publishes, so
  // that no moment is left in which its file looks like a stranger's.
  void Recognize(const std::string& directory, const std::string& name, const Digest& content);
  // As Recognize; and the next notification that names the file is of the mirror's own doing.
  void Expect(const std::string& directory, const std::string& name, const Digest& content);
  // Whether that notification was still to come; from now on it is not.
  bool TakeExpected(const std::string& directory, const std::string& name);
  // No notification tells of what was put there before: it was not watched, or some were lost.
  void ExpectNone(const std::string& directory);

  // Known by its looks, without reading. A file whose ctime alone has moved was perhaps changed in place and
  // is not, unless it has a second link: then that, not the content, is what changed.
  [[nodiscard]] bool Knows(const std::string& directory, const std::string& name, const FileStat& stat);
  // Known by content; then its looks are remembered.
  [[nodiscard]] bool KnowsContent(const std::string& directory, const std::string& name, const FileStat& stat,
                                  const Digest& content);
  // The file that is to be there is known to be there, by its looks. What else it might have been is not
  // recognized any more: from now on that is a stranger's.
  [[nodiscard]] bool KnowsWithContent(const std::string& directory, const std::string& name,
                                      const FileStat& stat, const Digest& content);

  // Is there anything that a content could be compared with?
  [[nodiscard]] bool HasContents(const std::string& directory, const std::string& name) const;

  void Forget(const std::string& directory, const std::string& name);
  void ForgetFolder(const std::string& directory);
  // Those of folders that nobody takes files from, unless they have become known since this was called last:
  // they may be about to be written. The mirror reads a file again when it has to know what is there.
  void ForgetFoldersUnless(const std::function<bool(const std::string&)>& is_needed);
  [[nodiscard]] std::size_t folders() const;
  [[nodiscard]] std::size_t CountIn(const std::string& directory) const;
  // Forgets the files of a folder that are gone by a list made after `revision` was asked for: what has
  // become known since then is not on that list, and stays.
  [[nodiscard]] std::uint64_t revision() const;
  void Keep(const std::string& directory, std::uint64_t revision,
            const std::function<bool(const std::string&)>& is_there);
  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry {
    std::uint64_t inode = 0;  // 0: only its content is known
    std::int64_t mtime_ns = 0;
    std::int64_t ctime_ns = 0;  // 0: not known yet
    std::uint64_t size = 0;
    std::uint64_t revision = 0;  // when this became known
    bool expected = false;
    Digest content;
    std::vector<Digest> recognized;
  };
  using Folder = std::unordered_map<std::string, Entry>;

  [[nodiscard]] Entry* Find(const std::string& directory, const std::string& name) REQUIRES(mutex_);
  Entry& RecognizeLocked(const std::string& directory, const std::string& name, const Digest& content)
      REQUIRES(mutex_);
  [[nodiscard]] static bool Matches(Entry& entry, const FileStat& stat);
  void Remember(Entry& entry, const FileStat& stat, const Digest& content) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<std::string, Folder> folders_ GUARDED_BY(mutex_);
  std::uint64_t revision_ GUARDED_BY(mutex_) = 0;
  std::uint64_t forgot_at_ GUARDED_BY(mutex_) = 0;  // the revision when ForgetFoldersUnless was called last
};

}  // namespace agenttalk
