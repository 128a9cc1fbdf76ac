// Templates and redaction. The input is a value, a newline and a template: an expansion without values is the
// template itself, values are never expanded, and no registered secret survives redaction.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/redact.h"
#include "base/text_template.h"

namespace agenttalk {
namespace {

std::size_t Count(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

void CheckTemplate(std::string_view text, std::string_view value, TemplateBraces braces) {
  const Expansion untouched = ExpandTemplate(text, {}, braces);
  CHECK(untouched.text == text);
  CHECK(untouched.unknown == TemplateVariables(text, braces));
  const Expansion expanded = ExpandTemplate(text, {{"result", value}, {"score", "{result}"}}, braces);
  std::vector<std::string> expected = untouched.unknown;
  std::erase_if(expected, [](const std::string& name) { return name == "result" || name == "score"; });
  CHECK(expanded.unknown == expected);
  const std::string result = std::string(braces.open) + "result" + std::string(braces.close);
  const std::string score = std::string(braces.open) + "score" + std::string(braces.close);
  const std::size_t kept =
      text.size() - Count(text, result) * result.size() - Count(text, score) * score.size();
  const std::size_t added =
      Count(text, result) * value.size() + Count(text, score) * std::string_view("{result}").size();
  CHECK(expanded.text.size() == kept + added);
}

void CheckRedaction(std::string_view text, std::string_view secret) {
  Redactor redactor;
  redactor.AddSecret(secret);
  const std::string redacted = redactor.Redact(text);
  const bool in_replacement = std::string_view("[redacted]").find_first_of(secret) != std::string_view::npos;
  if (secret.size() >= 6 && !in_replacement) CHECK(redacted.find(secret) == std::string::npos);
  if (secret.size() < 6) CHECK(redacted == Redactor().Redact(text));
}

}  // namespace
}  // namespace agenttalk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t bar = text.find('\n');
  if (bar == std::string_view::npos) return 0;
  agenttalk::CheckTemplate(text.substr(bar + 1), text.substr(0, bar), {});
  agenttalk::CheckTemplate(text.substr(bar + 1), text.substr(0, bar), {"{{", "}}"});
  agenttalk::CheckRedaction(text.substr(bar + 1), text.substr(0, bar));
  return 0;
}
