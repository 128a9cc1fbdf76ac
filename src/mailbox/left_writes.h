#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "mailbox/mirror_writer.h"

namespace agenttalk {

// What a mirror could not write although the disk has room: a stranger's file is in the way, a folder cannot
// be entered, a log has become a link. Kept apart, so that all other files are written, and bounded: beyond
// that it is given up until it is told anew, by the next start or a repair.
class LeftWrites {
 public:
  [[nodiscard]] bool empty() const { return writes_.empty() && logs_.empty(); }
  // Nothing is missing on disk for it.
  [[nodiscard]] bool complete() const { return empty() && given_up_.empty(); }

  void Keep(MirrorBatch::Write write);
  void Keep(const std::string& path, MirrorBatch::Log log);
  // False: no line of this log is left. Otherwise this one has to wait behind those.
  bool KeepBehind(const std::string& path, LineNumber number, LineMaker& line);
  // All of it, to be tried again.
  MirrorBatch Take();

  // Something newer belongs there.
  void Forget(const std::string& path);
  void ForgetLog(const std::string& path);
  void ForgetFolder(const std::string& path);

 private:
  [[nodiscard]] bool HasRoomFor(std::uint64_t bytes) const;

  std::map<std::string, MirrorBatch::Write> writes_;
  std::map<std::string, MirrorBatch::Log> logs_;
  std::uint64_t bytes_ = 0;
  std::set<std::string> given_up_;
};

}  // namespace agenttalk
