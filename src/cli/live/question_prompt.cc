#include "cli/live/question_prompt.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "base/visible_text.h"
#include "cli/console.h"
#include "cli/hub_call.h"
#include "cli/text/text_width.h"
#include "cli/text_file.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// What fits on a screen that one scrolls through.
constexpr std::size_t kMostViewed = std::size_t{1} << 20;

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

// What is indented is a file's and stays as it is; the rest is wrapped.
std::vector<std::string> TextLines(std::string_view text, std::size_t columns) {
  constexpr std::string_view kIndent = "    ";
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with(kIndent)) {
      lines.push_back(Clipped(line, columns));
      continue;
    }
    for (std::string& piece : Wrapped(line, columns)) lines.push_back(std::move(piece));
  }
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

bool HasFiles(const json::object& question) {
  const json::value* files = question.if_contains("files");
  return files != nullptr && files->is_array() && !files->as_array().empty();
}

void AddLines(std::string_view text, std::vector<std::string>& lines) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(WithoutControls(std::string(text.substr(0, end))));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
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
  constexpr std::size_t kMostLines = 40;
  for (std::string& line : TextLines(VisibleText(CellText(question.at("text"))), columns - 3)) {
    if (lines.size() > kMostLines) {
      lines.emplace_back("  …");
      break;
    }
    lines.push_back("  " + std::move(line));
  }
  const std::string view = HasFiles(question) ? "view, " : "";
  lines.push_back(Decides(question) ? view + "approve, or reject with a reason? "
                                    : (view.empty() ? "your answer: " : "view, or your answer: "));
  return lines;
}

std::optional<std::vector<std::string>> ViewedFiles(const json::object& question, const std::string& line,
                                                    const std::filesystem::path& hub) {
  const std::string text = Trimmed(line);
  const std::size_t space = text.find(' ');
  const std::string word = text.substr(0, space);
  // A question that asks for words may be answered with this one.
  const bool asks = (word == "view" || word == "v") && HasFiles(question);
  if (!asks) return std::nullopt;
  const std::string wanted = space == std::string::npos ? "" : Trimmed(text.substr(space + 1));
  std::vector<std::string> lines;
  for (const json::value& file : question.at("files").as_array()) {
    if (!wanted.empty() && CellText(file.at("name")) != wanted) continue;
    const std::string path = CellText(file.at("path"));
    lines.push_back("── " + path);
    const auto bytes = ReadTextFile((hub / path).string(), kMostViewed);
    if (!bytes) {
      lines.push_back(bytes.error().message);
    } else if (!IsUtf8(*bytes)) {
      lines.emplace_back("(not text; open the file)");
    } else {
      AddLines(*bytes, lines);
    }
  }
  if (lines.empty()) lines.push_back("there is no file " + wanted);
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
  // Whoever has to do it again should know why.
  if (answer["decision"] == "reject" && rest.empty() && CellText(question.at("kind")) == "approve")
    return std::nullopt;
  answer["text"] = rest;
  return answer;
}

}  // namespace agenttalk
