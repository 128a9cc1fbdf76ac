#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/console.h"

namespace agenttalk {

// A few lines at the bottom of a terminal that are drawn over and over. The terminal keeps its modes and its
// cursor: whatever ends the process leaves nothing to be put right. What a person types at a prompt is echoed
// and edited by the terminal itself, on a line that is never drawn over.
class LiveScreen {
 public:
  explicit LiveScreen(Console& console) : console_(console) {}

  // Replaces the lines. While there is a prompt their number stays: more are cut, fewer are filled up.
  void Draw(const std::vector<std::string>& lines);
  // A line above, for good.
  void Say(const std::string& line);
  // Shows a question and lets the cursor wait behind the last line of it.
  void Prompt(const std::vector<std::string>& lines);
  // The person has typed a line; what is drawn next comes below.
  void PromptDone();
  [[nodiscard]] bool prompts() const { return prompts_; }

 private:
  Console& console_;
  std::vector<std::string> drawn_;
  std::size_t below_ = 0;  // lines of the prompt above the cursor's
  bool prompts_ = false;
};

}  // namespace agenttalk
