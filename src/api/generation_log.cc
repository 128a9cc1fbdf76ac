#include "api/generation_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/time.h"
#include "model/command/command.h"
#include "model/command/reading.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::uintmax_t kRotateAt = std::uintmax_t{16} << 20;

std::string LineOf(const json::value& params, const ReadCommandResult& result) {
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  json::object line{{"time", ToRfc3339(now)},
                    {"level", result.command ? "info" : "error"},
                    {"asked", params},
                    {"ok", result.command.has_value()}};
  if (result.command) {
    line["plan_id"] = result.command->plan_id.str();
    line["command_id"] = result.command->command_id.str();
  }
  line["errors"] = ToJson(result.issues.errors);
  line["warnings"] = ToJson(result.issues.warnings);
  return Redact(CompactJson(line)) + "\n";
}

}  // namespace

Result<void> LogGeneration(const fs::path& hub, const json::value& params, const ReadCommandResult& result) {
  const fs::path folder = hub / ".agenttalk";
  const fs::path file = folder / "generated.jsonl";
  std::error_code failed;
  fs::create_directory(folder, failed);
  std::error_code none;
  if (const auto size = fs::file_size(file, none); !none && size > kRotateAt) {
    fs::rename(file, folder / "generated.1.jsonl", none);
  }
  const FileDescriptor log(
      ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640));
  const std::string line = LineOf(params, result);
  // One write, so that lines of several processes do not mix.
  if (!log.valid() || ::write(log.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return Fail(ErrorCode::kIo, fmt::format("{}: {}", file.string(), std::strerror(errno)));
  }
  return {};
}

}  // namespace agenttalk
