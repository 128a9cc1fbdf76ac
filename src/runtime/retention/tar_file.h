#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file_descriptor.h"

// Tar files (POSIX ustar, with pax headers for long paths): regular files only, one after another. People can
// look into them with the usual tools.
namespace agenttalk {

class TarWriter {
 public:
  // Written beside `file` and renamed in Finish: a file that is there is whole. Readable by its owner alone.
  // TOO_LARGE, by whatever is written, when the file would have more bytes than `largest`.
  static Result<TarWriter> Create(const std::filesystem::path& file, std::uint64_t largest);
  TarWriter(TarWriter&& other) noexcept;
  TarWriter& operator=(TarWriter&&) = delete;
  ~TarWriter();

  Result<void> Add(const std::string& path, std::string_view bytes);
  // For bytes that come in pieces: Begin, Write until `size` is reached.
  Result<void> Begin(const std::string& path, std::uint64_t size);
  Result<void> Write(std::string_view bytes);
  // Durable when it returns. ALREADY_EXISTS when the name is taken and must not be replaced.
  Result<void> Finish();

 private:
  TarWriter(std::filesystem::path file, std::filesystem::path temporary, FileDescriptor descriptor,
            std::uint64_t largest);
  Result<void> Header(const std::string& path, std::uint64_t size, char type);
  Result<void> Put(std::string_view bytes);
  Result<void> Flush();
  Result<void> Pad();

  std::filesystem::path file_;
  std::filesystem::path temporary_;  // empty: renamed
  FileDescriptor descriptor_;
  std::string buffer_;
  std::uint64_t largest_ = 0;
  std::uint64_t written_ = 0;
};

struct TarEntry {
  std::string path;
  std::uint64_t size = 0;
};

// Trusts nothing: every number is held against the file's real size, other kinds of entries are refused.
class TarReader {
 public:
  static Result<TarReader> Open(const std::filesystem::path& file, std::uint64_t largest);

  // Nothing: the end, which was marked as such and is the end of the file.
  Result<std::optional<TarEntry>> Next();
  // All of the entry that Next told.
  Result<std::string> Read();
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  TarReader(FileDescriptor descriptor, std::uint64_t size);
  Result<std::string> Take(std::uint64_t count);
  Result<std::optional<TarEntry>> ReadHeader(char& type);

  FileDescriptor descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t at_ = 0;
  std::uint64_t unread_ = 0;  // of the present entry
};

}  // namespace agenttalk
