#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace agenttalk {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// Of the terminal behind a descriptor; nothing when there is none that could be drawn on.
std::optional<TerminalSize> TerminalSizeOf(int descriptor);

// What goes to stdout, with lines cut off where a terminal there ends; as it is where there is none.
std::string FittedToTerminal(const std::string& text);

// Somebody sits at stdin and can be asked: a terminal, and this process is in its foreground.
bool IsInteractive();

}  // namespace agenttalk
