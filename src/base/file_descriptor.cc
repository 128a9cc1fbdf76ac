#include "base/file_descriptor.h"

#include <unistd.h>

#include <utility>

#include "base/error.h"

namespace agenttalk {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Result<void> FileDescriptor::Close() {
  if (fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0) return {};
  return FailErrno("close");
}

}  // namespace agenttalk
