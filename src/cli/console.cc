#include "cli/console.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "base/visible_text.h"

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

// What every control of this process starts with. A text that guesses it must guess 64 bits.
const std::string& ControlPrefix() {
  static const std::string prefix = [] {
    std::uint64_t secret = 0;
    if (::getrandom(&secret, sizeof(secret), 0) != static_cast<ssize_t>(sizeof(secret)))
      secret = std::random_device{}();
    return fmt::format("\x1b[{};", secret);
  }();
  return prefix;
}

// A control as the terminal understands it; the older forms are the ones that all of them know.
std::string AsSent(std::string_view sequence) {
  if (sequence == "G") return "\r";
  if (sequence == "s") return "\x1b\x37";
  if (sequence == "u") return "\x1b\x38";
  return fmt::format("\x1b[{}", sequence);
}

std::string ForTerminal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t own = std::min(text.find(ControlPrefix()), text.size());
    out += VisibleText(text.substr(0, own));
    text.remove_prefix(own);
    const std::size_t length = TerminalControlLength(text);
    if (length == 0) break;
    out += AsSent(text.substr(ControlPrefix().size(), length - ControlPrefix().size()));
    text.remove_prefix(length);
  }
  return out;
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
  const std::string sent = ForTerminal(text);
  std::fwrite(sent.data(), 1, sent.size(), out_);
}

void Console::OutBytes(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), out_);
}

void Console::Err(std::string_view text) {
  std::fflush(out_);  // keeps the order when both go to one terminal
  const std::string sent = ForTerminal(text);
  std::fwrite(sent.data(), 1, sent.size(), err_);
}

bool Console::Flush() {
  return std::fflush(out_) == 0 && std::ferror(out_) == 0;
}

std::string TerminalControl(std::string_view sequence) {
  return ControlPrefix() + std::string(sequence);
}

std::size_t TerminalControlLength(std::string_view text) {
  if (!text.starts_with(ControlPrefix())) return 0;
  std::size_t end = ControlPrefix().size();
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return std::min(end + 1, text.size());
}

std::string Styled(std::string_view text, Style style, bool colors) {
  if (!colors) return std::string(text);
  return fmt::format("{}{}{}", TerminalControl(fmt::format("{}m", EscapeNumber(style))), text,
                     TerminalControl("0m"));
}

}  // namespace agenttalk
