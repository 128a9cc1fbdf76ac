#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "model/content/cost.h"

// Numbers and texts as people write them, for `log`, `trace`, `show` and transcripts.
namespace agenttalk {

// "1,234,567"
std::string CountWords(std::uint64_t count);
// "1 file", "12 files"
std::string CountOf(std::uint64_t count, std::string_view one, std::string_view many);
// "512 bytes", "1.2 KB", "3.4 MB"
std::string SizeWords(std::uint64_t bytes);
// "120 tokens in, 45 out, $0.0012"; nothing for nothing.
std::string CostWords(const Cost& cost);
// 85, 85.5: never an exponent.
std::string NumberWords(double number);
// "MODEL_FAILED: the server said no"; either may be missing.
std::string ErrorWords(const std::optional<ErrorCode>& code, std::string_view message);

// One line of at most `longest` bytes, without control characters and secrets; "…" where it was cut.
std::string OneLine(std::string_view text, std::size_t longest = 160);
// Well-formed, without secrets, otherwise as it is.
std::string CleanText(std::string_view text);

// The number behind "exit code " at the beginning of a program's output.
std::optional<int> ExitCodeOf(std::string_view tool_output);

}  // namespace agenttalk
