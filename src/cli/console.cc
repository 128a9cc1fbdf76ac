#include "cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace agenttalk {
namespace {

bool WantsColors(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") return false;
  const int descriptor = fileno(stream);
  return descriptor >= 0 && isatty(descriptor) != 0;
}

int EscapeNumber(Style style) {
  switch (style) {
    case Style::kBold:
      return 1;
    case Style::kDim:
      return 2;
    case Style::kRed:
      return 31;
    case Style::kGreen:
      return 32;
    case Style::kYellow:
      return 33;
  }
  return 0;
}

}  // namespace

Console::Console(std::FILE* out, std::FILE* err)
    : out_(out), err_(err), colors_out_(WantsColors(out)), colors_err_(WantsColors(err)) {}

void Console::Out(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), out_);
}

void Console::OutBytes(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), out_);
}

void Console::Err(std::string_view text) {
  std::fflush(out_);  // keeps the order when both go to one terminal
  std::fwrite(text.data(), 1, text.size(), err_);
}

bool Console::Flush() {
  return std::fflush(out_) == 0 && std::ferror(out_) == 0;
}

std::string Styled(std::string_view text, Style style, bool colors) {
  if (!colors) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", EscapeNumber(style), text);
}

}  // namespace agenttalk
