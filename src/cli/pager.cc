#include "cli/pager.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/console.h"

namespace agenttalk {

void ShowPaged(Console& console, const std::string& text) {
  const char* named = std::getenv("PAGER");
  const std::string pager = named != nullptr ? named : "less -FRX";
  if (isatty(STDOUT_FILENO) == 0 || pager.empty()) {
    console.Out(text);
    return;
  }
  static_cast<void>(console.Flush());
  // A pager that is left before the end of the text must not end this process.
  auto* const before = std::signal(SIGPIPE, SIG_IGN);
  std::FILE* pipe = popen(pager.c_str(), "w");
  bool shown = false;
  if (pipe != nullptr) {
    std::fwrite(text.data(), 1, text.size(), pipe);
    constexpr int kNotFound = 127;
    const int status = pclose(pipe);
    shown = status != -1 && WEXITSTATUS(status) != kNotFound;
  }
  std::signal(SIGPIPE, before);
  if (!shown) console.Out(text);
}

}  // namespace agenttalk
