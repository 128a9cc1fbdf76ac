#include "api/socket_address.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/un.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace agenttalk {

Result<SocketAddress> SocketAddress::For(const std::filesystem::path& file) {
  if (file.string().size() < sizeof(sockaddr_un::sun_path)) return SocketAddress({}, file.string());
  FileDescriptor folder(::open(file.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return FailErrno("open " + file.parent_path().string());
  std::string path = fmt::format("/proc/self/fd/{}/{}", folder.get(), file.filename().string());
  return SocketAddress(std::move(folder), std::move(path));
}

}  // namespace agenttalk
