#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

// A question of a plan, asked where the plan is being watched, and the line that answers it.
namespace agenttalk {

// The first question of the plan that somebody has to answer; null: there is none.
const boost::json::object* FirstQuestion(const boost::json::array& questions, const std::string& plan);

// What is shown; the last line is where the answer is typed.
std::vector<std::string> QuestionLines(const boost::json::object& question, std::size_t columns, bool colors);

// The lines of the files that the question is about, where the line asks to `view` them (all, or one by its
// name); nothing: it does not.
std::optional<std::vector<std::string>> ViewedFiles(const boost::json::object& question,
                                                    const std::string& line,
                                                    const std::filesystem::path& hub);

// The parameters of `answer`, or nothing when the line is no answer to this question.
std::optional<boost::json::object> ReadAnswerLine(const boost::json::object& question,
                                                  const std::string& line);

}  // namespace agenttalk
