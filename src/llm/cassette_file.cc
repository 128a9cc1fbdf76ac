#include "llm/cassette_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "llm/cassette.h"

namespace agenttalk {

Result<CassetteFile> CassetteFile::Open(const std::filesystem::path& file) {
  constexpr mode_t kOwnerOnly = 0600;  // prompts may be private
  FileDescriptor opened(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly));
  if (!opened.valid()) return FailErrno("the cassette " + file.string());
  return CassetteFile(std::move(opened), file.string());
}

CassetteFile::CassetteFile(FileDescriptor opened, std::string name)
    : file_(std::move(opened)), name_(std::move(name)) {}

void CassetteFile::Write(std::string_view line) {
  if (failure_) return;
  std::string rest(line);
  rest += '\n';
  while (!rest.empty()) {
    const ssize_t wrote = ::write(file_.get(), rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      failure_ = FailErrno("the cassette " + name_).error();
      return;
    }
    rest.erase(0, static_cast<std::size_t>(wrote));
  }
}

Result<Cassette> LoadCassette(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return Fail(ErrorCode::kNotFound, fmt::format("the cassette {} cannot be opened", file.string()),
                "record one with --record FILE");
  }
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  auto cassette = Cassette::Parse(text);
  if (cassette) return std::move(*cassette);
  const Issue& first = cassette.error().errors.front();
  return Fail(first.code, IssueInFile(file.string(), first), first.hint);
}

}  // namespace agenttalk
