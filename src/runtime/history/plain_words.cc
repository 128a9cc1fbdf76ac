#include "runtime/history/plain_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error_code.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "model/content/cost.h"

namespace agenttalk {

std::string CountWords(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string words;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) words += ',';
    words += digits[i];
  }
  return words;
}

std::string CountOf(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", CountWords(count), count == 1 ? one : many);
}

std::string SizeWords(std::uint64_t bytes) {
  if (bytes < 1000) return CountOf(bytes, "byte", "bytes");
  double size = static_cast<double>(bytes);
  std::string_view unit;
  for (const std::string_view next : {"KB", "MB", "GB", "TB"}) {
    if (size < 1000) break;
    size /= 1000;
    unit = next;
  }
  return fmt::format("{:.1f} {}", size, unit);
}

std::string CostWords(const Cost& cost) {
  if (cost.input_tokens == 0 && cost.output_tokens == 0 && cost.micro_usd == 0) return {};
  std::string words =
      fmt::format("{} tokens in, {} out", CountWords(cost.input_tokens), CountWords(cost.output_tokens));
  if (cost.micro_usd > 0) words += fmt::format(", ${:.4f}", static_cast<double>(cost.micro_usd) / 1e6);
  if (cost.unpriced > 0) words += ", price unknown";
  return words;
}

std::string NumberWords(double number) {
  return CompactJson(number);
}

std::string ErrorWords(const std::optional<ErrorCode>& code, std::string_view message) {
  if (!code) return std::string(message);
  if (message.empty()) return std::string(ToString(*code));
  return fmt::format("{}: {}", ToString(*code), message);
}

std::string OneLine(std::string_view text, std::size_t longest) {
  // What is far beyond the end of the line need not be cleaned.
  std::string line = Redact(ToValidUtf8(text.substr(0, std::min(text.size(), 16 * longest))));
  std::ranges::replace(line, '\n', ' ');
  line = WithoutControls(line);
  if (line.size() <= longest) return line;
  return std::string(Utf8Prefix(line, longest)) + "…";
}

std::string CleanText(std::string_view text) {
  return Redact(ToValidUtf8(text));
}

std::optional<int> ExitCodeOf(std::string_view tool_output) {
  constexpr std::string_view kBegin = "exit code ";
  if (!tool_output.starts_with(kBegin)) return std::nullopt;
  tool_output.remove_prefix(kBegin.size());
  int code = 0;
  const auto [end, error] =
      std::from_chars(tool_output.data(), tool_output.data() + tool_output.size(), code);
  return error == std::errc() ? std::optional(code) : std::nullopt;
}

}  // namespace agenttalk
