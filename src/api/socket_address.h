#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace agenttalk {

// A name for a Unix socket that the system accepts however long the path to it is: a socket's address holds
// about 100 bytes, so a longer path is reached through its folder's descriptor. Must live until bind or
// connect has returned.
class SocketAddress {
 public:
  static Result<SocketAddress> For(const std::filesystem::path& file);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  SocketAddress(FileDescriptor folder, std::string path)
      : folder_(std::move(folder)), path_(std::move(path)) {}

  FileDescriptor folder_;
  std::string path_;
};

}  // namespace agenttalk
