#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "llm/cassette.h"

namespace agenttalk {

// A cassette that is being recorded: lines are added at its end as calls end.
class CassetteFile {
 public:
  static Result<CassetteFile> Open(const std::filesystem::path& file);

  // A line that cannot be written is a recording with a hole in it: from then on nothing is written, and
  // `failure` says why.
  void Write(std::string_view line);
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  CassetteFile(FileDescriptor opened, std::string name);

  FileDescriptor file_;
  std::string name_;
  std::optional<Error> failure_;
};

Result<Cassette> LoadCassette(const std::filesystem::path& file);

}  // namespace agenttalk
