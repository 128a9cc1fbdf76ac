#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace agenttalk {

// Where a verb speaks: results go to `out`, progress and diagnostics to `err`. Everything that people and
// programs read passes here, and whatever could steer a terminal is shown instead of sent (VisibleText),
// whoever wrote it: a model, a file, a server, a person. Only what Styled and TerminalControl made passes as
// it is meant; it carries a number of this process that nobody else knows.
class Console {
 public:
  Console(std::FILE* out, std::FILE* err);

  void Out(std::string_view text);
  void Err(std::string_view text);
  // A file's bytes to `out`, whatever they are.
  void OutBytes(std::string_view bytes);
  // False when something that was written to `out` did not arrive (a full disk, for instance).
  [[nodiscard]] bool Flush();

  [[nodiscard]] bool colors_out() const { return colors_out_; }
  [[nodiscard]] bool colors_err() const { return colors_err_; }

 private:
  std::FILE* out_;  // not owned
  std::FILE* err_;  // not owned
  bool colors_out_;
  bool colors_err_;
};

// An escape sequence that a Console sends as it is: "2A" moves up two lines, "K" and "J" clear, "G" goes to
// the start of the line, "s" and "u" save and restore the cursor. It takes no room (DisplayWidth).
std::string TerminalControl(std::string_view sequence);
// How long the control is that the text starts with; 0 when it does not start with one.
std::size_t TerminalControlLength(std::string_view text);

enum class Style { kBold, kDim, kRed, kGreen, kYellow };

// `text` in that style where `colors` says that there is a terminal and NO_COLOR is not set, else as it is.
std::string Styled(std::string_view text, Style style, bool colors);

}  // namespace agenttalk
