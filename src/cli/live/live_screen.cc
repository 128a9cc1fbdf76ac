#include "cli/live/live_screen.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cli/console.h"

namespace agenttalk {
namespace {

std::string Up(std::size_t lines) {
  return lines == 0 ? "\r" : fmt::format("\r\x1b[{}A", lines);
}

std::string Text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\x1b[K\n";
  return text;
}

}  // namespace

void LiveScreen::Draw(const std::vector<std::string>& lines) {
  if (lines == drawn_) return;
  if (!prompts_) {
    console_.Err(Up(drawn_.size()) + Text(lines) + "\x1b[J");
    drawn_ = lines;
    return;
  }
  std::vector<std::string> fitting = lines;
  fitting.resize(drawn_.size());
  if (fitting == drawn_) return;
  console_.Err(
      "\x1b"
      "7" +
      Up(drawn_.size() + below_) + Text(fitting) +
      "\x1b"
      "8");
  drawn_ = std::move(fitting);
}

void LiveScreen::Say(const std::string& line) {
  if (prompts_) {
    console_.Err("\n");
    PromptDone();
  }
  console_.Err(Up(drawn_.size()) + line + "\x1b[K\n" + Text(drawn_) + "\x1b[J");
}

void LiveScreen::Prompt(const std::vector<std::string>& lines) {
  if (prompts_ || lines.empty()) return;
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  console_.Err(text);
  below_ = lines.size() - 1;
  prompts_ = true;
}

void LiveScreen::PromptDone() {
  prompts_ = false;
  below_ = 0;
  drawn_.clear();
}

}  // namespace agenttalk
