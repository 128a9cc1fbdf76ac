#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace agenttalk {

// Where a verb speaks: results go to `out`, progress and diagnostics to `err`. Escape sequences are used only
// where that stream is a terminal and NO_COLOR is not set.
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

enum class Style { kBold, kDim, kRed, kGreen, kYellow };

// `text` in that style, or as it is when `colors` is false.
std::string Styled(std::string_view text, Style style, bool colors);

}  // namespace agenttalk
