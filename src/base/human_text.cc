#include "base/human_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/redact.h"
#include "base/utf8.h"

namespace agenttalk {

std::string CleanHumanText(std::string_view text, std::size_t longest) {
  // Redacted before it is cut: half a secret is one that nobody recognises.
  std::string clean = Redact(WithoutControls(ToValidUtf8(text)));
  if (clean.size() <= longest) return clean;
  const std::string_view kept = Utf8Prefix(clean, longest);
  return fmt::format("{} […{} bytes left out]", kept, clean.size() - kept.size());
}

}  // namespace agenttalk
