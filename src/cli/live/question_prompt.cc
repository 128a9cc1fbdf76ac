#include "cli/live/question_prompt.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "cli/console.h"
#include "cli/hub_call.h"
#include "cli/text/text_width.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// Breaks a text into lines of at most that width, at spaces where there are any.
std::vector<std::string> Wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  std::string word;
  const auto end_word = [&] {
    if (!line.empty() && DisplayWidth(line) + 1 + DisplayWidth(word) > columns)
      lines.push_back(std::exchange(line, {}));
    line += (line.empty() ? "" : " ") + std::exchange(word, {});
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = std::max<std::size_t>(1, Utf8SequenceLength(text.substr(i)));
    const std::string_view piece = text.substr(i, length);
    i += length;
    if (piece == "\n" || piece == " ") {
      end_word();
      if (piece == "\n") lines.push_back(std::exchange(line, {}));
      continue;
    }
    word += piece;
    // Chinese has no spaces to break at.
    if (DisplayWidth(word) >= columns) end_word();
  }
  end_word();
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string Trimmed(std::string text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  text.erase(last == std::string::npos ? 0 : last + 1);
  const auto first = text.find_first_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first);
}

bool Decides(const json::object& question) {
  return !question.at("choices").as_array().empty();
}

}  // namespace

const json::object* FirstQuestion(const json::array& questions, const std::string& plan) {
  for (const json::value& one : questions) {
    const json::object& question = one.as_object();
    if (CellText(question.at("plan_id")) == plan && CellText(question.at("kind")) != "alert")
      return &question;
  }
  return nullptr;
}

std::vector<std::string> QuestionLines(const json::object& question, std::size_t columns, bool colors) {
  std::vector<std::string> lines;
  const std::string head = CellText(question.at("id")) + " " + CellText(question.at("kind"));
  lines.push_back(Styled(head, Style::kYellow, colors));
  constexpr std::size_t kMostLines = 12;
  for (std::string& line : Wrapped(WithoutControls(CellText(question.at("text"))), columns - 3)) {
    if (lines.size() > kMostLines) {
      lines.emplace_back("  …");
      break;
    }
    lines.push_back("  " + std::move(line));
  }
  lines.emplace_back(Decides(question) ? "approve, or reject with a reason? " : "your answer: ");
  return lines;
}

std::optional<json::object> ReadAnswerLine(const json::object& question, const std::string& line) {
  const std::string text = Trimmed(line);
  if (text.empty()) return std::nullopt;
  json::object answer{{"id", question.at("id")}};
  if (!Decides(question)) {
    answer["text"] = text;
    return answer;
  }
  const std::size_t space = text.find_first_of(" ,:");
  const std::string word = text.substr(0, space);
  const std::string rest = space == std::string::npos ? "" : Trimmed(text.substr(space + 1));
  if (word == "a" || word == "y" || word == "yes" || word == "approve") {
    answer["decision"] = "approve";
  } else if (word == "r" || word == "n" || word == "no" || word == "reject") {
    answer["decision"] = "reject";
  } else {
    return std::nullopt;
  }
  answer["text"] = rest;
  return answer;
}

}  // namespace agenttalk
