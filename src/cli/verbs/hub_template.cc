#include "cli/verbs/hub_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/embedded_file.h"
#include "base/error.h"
#include "base/error_code.h"
#include "cli/hub_location.h"

namespace agenttalk {

std::span<const EmbeddedFile> EmbeddedTemplates();  // made by the build from templates/

namespace {

namespace fs = std::filesystem;

struct TemplateFile {
  std::string path;  // in the hub
  std::string_view content;
};

// The configuration comes last: a directory counts as a hub only when all the rest is there.
std::vector<TemplateFile> FilesOf(const std::string& template_name) {
  std::vector<TemplateFile> files;
  const std::string prefix = template_name + "/";
  for (const EmbeddedFile& file : EmbeddedTemplates()) {
    if (file.path.starts_with(prefix)) {
      files.push_back({std::string(file.path.substr(prefix.size())), file.content});
    }
  }
  const auto hub_file = std::ranges::find(files, kHubFile, &TemplateFile::path);
  if (hub_file != files.end()) std::rotate(hub_file, hub_file + 1, files.end());
  return files;
}

Result<void> MakeDirectories(const fs::path& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (!failure) return {};
  return Fail(ErrorCode::kIo,
              fmt::format("cannot create the folder {}: {}", directory.string(), failure.message()),
              "choose a directory in which you may write");
}

Result<void> WriteNewFile(const fs::path& path, std::string_view content) {
  if (path.has_parent_path()) TRY(MakeDirectories(path.parent_path()));
  std::ofstream file(path, std::ios::binary | std::ios::noreplace);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (file) return {};
  return FailErrno("cannot write " + path.string());
}

}  // namespace

std::vector<std::string> TemplateNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : EmbeddedTemplates()) {
    std::string name(file.path.substr(0, file.path.find('/')));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<std::string>> MakeHub(const fs::path& directory, const std::string& template_name) {
  const auto files = FilesOf(template_name);
  if (files.empty()) {
    return Fail(ErrorCode::kUsage, fmt::format("there is no template '{}'", template_name),
                fmt::format("one of: {}", fmt::join(TemplateNames(), ", ")));
  }
  std::error_code ignored;  // what cannot be looked at cannot be written either, and fails there
  if (fs::exists(directory / kHubFile, ignored)) {
    return Fail(ErrorCode::kAlreadyExists, fmt::format("{} is a hub already", directory.string()),
                "choose another directory; a hub is never overwritten");
  }
  for (const TemplateFile& file : files) {
    if (!fs::exists(directory / file.path, ignored)) continue;
    return Fail(ErrorCode::kAlreadyExists,
                fmt::format("{} is there already", (directory / file.path).string()),
                "choose an empty directory, or move the file away");
  }
  std::vector<std::string> written;
  TRY(MakeDirectories(directory));
  for (const char* folder : {"agents", "plans", "human/inbox", "human/outbox", "dead_letter"}) {
    TRY(MakeDirectories(directory / folder));
  }
  for (const TemplateFile& file : files) {
    TRY(WriteNewFile(directory / file.path, file.content));
    written.push_back(file.path);
  }
  return written;
}

}  // namespace agenttalk
