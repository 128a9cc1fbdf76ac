#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "base/digest.h"
#include "mailbox/mirror_writer.h"
#include "model/content/content.h"

namespace agenttalk {

// Where the files that events show go: to the mirror as they happen, or into a set that says what should be
// there in the end.
class FileSink {
 public:
  FileSink() = default;
  virtual ~FileSink() = default;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  virtual void Publish(const std::string& path, const Content& content, Overwrite overwrite) = 0;
  virtual void PublishText(const std::string& path, std::string text) = 0;
  // As PublishText, made when it is needed: its text is long, and nobody waits for it.
  virtual void PublishMade(const std::string& path, FileMaker make) = 0;
  virtual void Remove(const std::string& path) = 0;
  // As Remove, in a box: only if it has this content. Anything else is a stranger's.
  virtual void Retract(const std::string& path, const Content& content) = 0;
  // A folder goes with everything in it.
  virtual void RemoveFolder(const std::string& path) = 0;
  // What was told of a folder until now was another plan's of that id, and went with it.
  virtual void ForgetFolder(const std::string& /*path*/) {}
  // Agents' logs have lines of plans that are not in the journal any more, or lack some of plans that came
  // from elsewhere.
  virtual void LogsArePartial() {}
  // Nobody needs it any more; it may stay.
  virtual void Forget(const std::string& path) = 0;
  // A stranger's file with this content was taken in and stays where it is.
  virtual void Found(const std::string& path, const Content& content) = 0;
  // It had this content once, and has a newer one.
  virtual void WasThere(const std::string& /*path*/, const Content& /*content*/) {}
  virtual void AppendLine(const std::string& path, LineNumber number, LineMaker line,
                          std::uint64_t rotate_at) = 0;
};

// What should be there once all events have been shown. Holds names and hashes, no contents.
class FileSet : public FileSink {
 public:
  struct Removed {};
  struct Wanted {
    std::variant<Removed, Content, std::string, FileMaker> what;
    Overwrite overwrite = Overwrite::kAlways;
  };
  // The whole of a log, if it was never set aside.
  struct Lines {
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
    LineNumber last;
  };

  void Publish(const std::string& path, const Content& content, Overwrite overwrite) override {
    files_[path] = {content, overwrite};
  }
  void PublishText(const std::string& path, std::string text) override {
    files_[path] = {std::move(text), Overwrite::kAlways};
  }
  void RemoveFolder(const std::string& path) override { ForgetFolder(path); }
  void ForgetFolder(const std::string& path) override {
    EraseBelow(files_, path);
    EraseBelow(lines_, path);
  }
  void LogsArePartial() override { logs_are_partial_ = true; }
  [[nodiscard]] bool logs_are_partial() const { return logs_are_partial_; }
  void PublishMade(const std::string& path, FileMaker make) override {
    files_[path] = {std::move(make), Overwrite::kAlways};
  }
  void Remove(const std::string& path) override { files_[path] = {Removed{}, Overwrite::kAlways}; }
  void Retract(const std::string& path, const Content& /*content*/) override {
    files_[path] = {Removed{}, Overwrite::kOwnOnly};
  }
  void Forget(const std::string& path) override { files_.erase(path); }
  // A power cut may have taken it away since.
  void Found(const std::string& path, const Content& content) override {
    files_[path] = {content, Overwrite::kOwnOnly};
  }
  void AppendLine(const std::string& path, LineNumber number, LineMaker line,
                  std::uint64_t /*rotate_at*/) override {
    Lines& lines = lines_[path];
    const std::string text = line();
    lines.bytes += text.size() + 1;
    lines.crc = Crc32c("\n", Crc32c(text, lines.crc));
    lines.last = number;
  }

  [[nodiscard]] const std::map<std::string, Wanted>& files() const { return files_; }
  [[nodiscard]] const std::map<std::string, Lines>& lines() const { return lines_; }

 private:
  template <typename Named>
  static void EraseBelow(std::map<std::string, Named>& named, const std::string& folder) {
    named.erase(named.lower_bound(folder + "/"), named.lower_bound(folder + "0"));  // '0' comes after '/'
  }

  std::map<std::string, Wanted> files_;
  std::map<std::string, Lines> lines_;
  bool logs_are_partial_ = false;
};

}  // namespace agenttalk
