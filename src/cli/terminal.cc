#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string_view>

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

bool IsInteractive() {
  return ::isatty(STDIN_FILENO) != 0 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

}  // namespace agenttalk
