#pragma once

#include <cstddef>
#include <optional>

namespace agenttalk {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// Of the terminal behind a descriptor; nothing when there is none that could be drawn on.
std::optional<TerminalSize> TerminalSizeOf(int descriptor);

// Somebody sits at stdin and can be asked: a terminal, and this process is in its foreground.
bool IsInteractive();

}  // namespace agenttalk
