#include "cli/table.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.h"

namespace agenttalk {
namespace {

// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string TableText(const std::vector<std::vector<std::string>>& rows, bool colors) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string text;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    std::string line;
    for (std::size_t i = 0; i < rows[number].size(); ++i) {
      line += rows[number][i];
      line.append(widths[i] - Width(rows[number][i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += number == 0 ? Styled(line, Style::kBold, colors) : line;
    text += '\n';
  }
  return text;
}

}  // namespace agenttalk
