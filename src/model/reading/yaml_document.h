#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <expected>
#include <memory>
#include <string_view>

#include "base/issue.h"

namespace agenttalk {

struct YamlLimits {
  std::size_t max_bytes = std::size_t{1} << 20;
  std::size_t max_depth = 64;
};

// A YAML text read as the JSON value it stands for, so that YAML and JSON share one validator, together with
// the line that each value is on.
//
// Scalars follow the YAML 1.2 core schema: a plain true, null, 12 or 1.5 has that type, everything quoted is
// a string, and so are yes, no, on, off, .inf and .nan. Keys are always strings. Aliases are copied, but
// may not add more than the size of the text and a mebibyte (so that a bomb is refused); merge keys,
// duplicate keys, foreign tags and several documents in one text are refused.
class YamlDocument {
 public:
  struct Contents;

  explicit YamlDocument(std::unique_ptr<const Contents> contents);
  ~YamlDocument();
  YamlDocument(YamlDocument&&) noexcept;
  YamlDocument& operator=(YamlDocument&&) noexcept;

  [[nodiscard]] const boost::json::value& root() const;

  // The line (from 1) of the value that the JSON Pointer names, or of the nearest value around it.
  [[nodiscard]] int LineOf(std::string_view pointer) const;

  // Fills in `line` of every issue that has none.
  void AddLines(Issues& issues) const;

 private:
  std::unique_ptr<const Contents> contents_;
};

// YAML_INVALID, JSON_TOO_DEEP or TOO_LARGE, with the line.
std::expected<YamlDocument, Issue> ParseYaml(std::string_view text, const YamlLimits& limits = {});

}  // namespace agenttalk
