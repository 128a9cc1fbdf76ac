#include "cli/text/table.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/text/text_width.h"

namespace agenttalk {
namespace {

// A cell with a newline would look like a row of its own.
std::vector<std::vector<std::string>> OnOneLine(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    for (std::string& cell : row)
      std::ranges::replace_if(cell, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  }
  return rows;
}

}  // namespace

std::string TableText(const std::vector<std::vector<std::string>>& cells, bool colors) {
  const std::vector<std::vector<std::string>> rows = OnOneLine(cells);
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  std::string text;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    std::string line;
    for (std::size_t i = 0; i < rows[number].size(); ++i) {
      line += rows[number][i];
      line.append(widths[i] - DisplayWidth(rows[number][i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += number == 0 ? Styled(line, Style::kBold, colors) : line;
    text += '\n';
  }
  return text;
}

}  // namespace agenttalk
