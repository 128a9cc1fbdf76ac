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
  return TerminalControl("G") + (lines == 0 ? "" : TerminalControl(fmt::format("{}A", lines)));
}

std::string Text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + TerminalControl("K") + "\n";
  return text;
}

}  // namespace

void LiveScreen::Draw(const std::vector<std::string>& lines) {
  if (lines == drawn_) return;
  if (!prompts_) {
    console_.Err(Up(drawn_.size()) + Text(lines) + TerminalControl("J"));
    drawn_ = lines;
    return;
  }
  std::vector<std::string> fitting = lines;
  fitting.resize(drawn_.size());
  if (fitting == drawn_) return;
  console_.Err(TerminalControl("s") + Up(drawn_.size() + below_) + Text(fitting) + TerminalControl("u"));
  drawn_ = std::move(fitting);
}

void LiveScreen::Say(const std::string& line) {
  if (prompts_) {
    console_.Err("\n");
    PromptDone();
  }
  console_.Err(Up(drawn_.size()) + line + TerminalControl("K") + "\n" + Text(drawn_) + TerminalControl("J"));
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
