#include "cli/live/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "cli/text/text_width.h"

namespace agenttalk {

std::optional<TerminalSize> TerminalSizeOf(int descriptor) {
  const char* term = std::getenv("TERM");
  const bool drawable = term != nullptr && *term != 0 && std::string_view(term) != "dumb";
  if (!drawable || ::isatty(descriptor) == 0) return std::nullopt;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    return TerminalSize{};
  }
  return TerminalSize{size.ws_col, size.ws_row};
}

std::string FittedToTerminal(const std::string& text) {
  const auto size = TerminalSizeOf(STDOUT_FILENO);
  if (!size) return text;
  std::string fitted;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    fitted += Clipped(std::string_view(text).substr(begin, end - begin), size->columns) + "\n";
    begin = end + 1;
  }
  return fitted;
}

bool IsInteractive() {
  return ::isatty(STDIN_FILENO) != 0 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

}  // namespace agenttalk
