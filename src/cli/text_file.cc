#include "cli/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include "base/error.h"
#include "base/error_code.h"

namespace agenttalk {
namespace {

Result<std::string> ReadAll(int descriptor, const std::string& path, std::size_t max_bytes) {
  std::string text;
  std::array<char, std::size_t{64} << 10> buffer;
  for (;;) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno("cannot read " + path);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > max_bytes) {
      return Fail(ErrorCode::kTooLarge, fmt::format("{} is larger than {} bytes", path, max_bytes));
    }
  }
}

}  // namespace

Result<std::string> ReadTextFile(const std::string& path, std::size_t max_bytes) {
  if (path == "-") return ReadAll(STDIN_FILENO, "standard input", max_bytes);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return Fail(ErrorCode::kNotFound, fmt::format("there is no file {}", path));
    return FailErrno("cannot open " + path);
  }
  auto text = ReadAll(descriptor, path, max_bytes);
  close(descriptor);
  return text;
}

}  // namespace agenttalk
