#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What people call a question and a dead letter.
namespace agenttalk {

// "q_17" is the question asked by event 17, "dl_17" the dead letter of event 17.
std::string QuestionName(std::uint64_t event);
std::string LetterName(std::uint64_t event);
// Where a file is that the question is about: "human/inbox/q_17/report.md".
std::string QuestionFilePath(std::uint64_t event, std::string_view file);
std::optional<std::uint64_t> ParseQuestionName(std::string_view name);
std::optional<std::uint64_t> ParseLetterName(std::string_view name);

}  // namespace agenttalk
