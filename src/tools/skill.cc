#include "tools/skill.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/embedded_file.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/utf8.h"
#include "model/reading/yaml_document.h"

namespace agenttalk {

std::span<const EmbeddedFile> EmbeddedSkills();

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::size_t kLargestSkill = std::size_t{1} << 20;
constexpr std::size_t kLongestDescription = 1024;
constexpr const char* kShape = "begin the file with ---, name: and description:, and --- again";

struct Parts {
  std::string_view front;
  std::string_view body;
};

Result<Parts> Split(std::string_view text) {
  constexpr std::string_view kFence = "---";
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto line_end = [&](std::size_t at) { return std::min(text.find('\n', at), text.size()); };
  const auto is_fence = [&](std::size_t at) {
    std::string_view line = text.substr(at, line_end(at) - at);
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    return line == kFence;
  };
  if (!is_fence(0)) return Fail(ErrorCode::kFieldMissing, "there is no front matter", kShape);
  const std::size_t begin = line_end(0) + 1;
  for (std::size_t at = begin; at < text.size(); at = line_end(at) + 1) {
    if (!is_fence(at)) continue;
    const std::size_t after = std::min(line_end(at) + 1, text.size());
    return Parts{text.substr(begin, at - begin), text.substr(after)};
  }
  return Fail(ErrorCode::kFieldMissing, "the front matter does not end", kShape);
}

std::string TextOf(const json::object& front, std::string_view key) {
  const json::value* value = front.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

Result<std::string> ReadSkillFile(const fs::path& file) {
  std::error_code error;
  // A link could lead to anything; a skill is text that its owner put here.
  if (!fs::is_regular_file(fs::symlink_status(file, error)))
    return Fail(ErrorCode::kFileUnsafe, "not a regular file");
  if (fs::file_size(file, error) > kLargestSkill) return Fail(ErrorCode::kTooLarge, "larger than 1 MiB");
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) return Fail(ErrorCode::kIo, "cannot be read");
  return text;
}

Result<Skill> LoadSkill(const fs::path& folder) {
  std::error_code error;
  for (const char* name : {"SKILL.md", "skill.md"}) {
    if (!fs::exists(fs::symlink_status(folder / name, error))) continue;
    return ParseSkill(folder.filename().string(), TRY(ReadSkillFile(folder / name)));
  }
  return Fail(ErrorCode::kNotFound, "there is no SKILL.md");
}

}  // namespace

Result<Skill> ParseSkill(std::string_view folder, std::string_view text) {
  if (!IsUtf8(text)) return Fail(ErrorCode::kTypeMismatch, "the text is not UTF-8");
  const Parts parts = TRY(Split(text));
  const auto front = ParseYaml(parts.front);
  if (!front) return Fail(front.error().code, "front matter: " + front.error().message, kShape);
  if (!front->root().is_object())
    return Fail(ErrorCode::kTypeMismatch, "the front matter is not a mapping", kShape);
  const json::object& fields = front->root().as_object();
  Skill skill{TextOf(fields, "name"), TextOf(fields, "description"), std::string(parts.body)};
  if (skill.name.empty()) skill.name = TextOf(fields, "skill_name");
  if (skill.name.empty()) return Fail(ErrorCode::kFieldMissing, "the skill has no name", kShape);
  if (skill.name != folder) {
    return Fail(ErrorCode::kValueInvalid,
                fmt::format("the skill is called {} but lies in {}", skill.name, folder),
                "give the folder the skill's name");
  }
  if (IsBlank(skill.description))
    return Fail(ErrorCode::kFieldMissing, "the skill has no description", kShape);
  if (skill.description.size() > kLongestDescription)
    return Fail(ErrorCode::kTooLarge,
                fmt::format("the description is longer than {} bytes", kLongestDescription));
  return skill;
}

SkillSet LoadSkills(const fs::path& folder) {
  SkillSet set;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || !entry.is_directory(error) || entry.is_symlink(error)) continue;
    auto skill =
        IsInputName(name) ? LoadSkill(entry.path()) : Fail(ErrorCode::kNameUnsafe, "the name is not allowed");
    if (skill) {
      set.skills.push_back(std::move(*skill));
    } else {
      set.problems.push_back(fmt::format("skill {}: {}", name, skill.error().message));
    }
  }
  std::ranges::sort(set.skills, {}, &Skill::name);
  std::ranges::sort(set.problems);
  return set;
}

const std::vector<Skill>& ShippedSkills(PromptLanguage language) {
  // Each as SKILL.md, and in another language as SKILL.<language>.md beside it.
  const auto make = [](std::string_view file_name) {
    std::vector<Skill> made;
    for (const EmbeddedFile& file : EmbeddedSkills()) {
      const std::size_t slash = file.path.find('/');
      if (file.path.substr(slash + 1) != file_name) continue;
      auto skill = ParseSkill(file.path.substr(0, slash), file.content);
      CHECK(skill);
      made.push_back(std::move(*skill));
    }
    return made;
  };
  static const std::vector<Skill> english = make("SKILL.md");
  static const std::vector<Skill> chinese = make("SKILL.zh.md");
  return language == PromptLanguage::kChinese ? chinese : english;
}

}  // namespace agenttalk
