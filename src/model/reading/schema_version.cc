#include "model/reading/schema_version.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error_code.h"
#include "model/reading/object_reader.h"

namespace agenttalk {

void ReadSchemaVersion(ObjectReader& reader, int newest_minor, std::string& version) {
  constexpr std::string_view kKey = "schema_version";
  constexpr std::string_view kMajor = "1.";
  std::string text;
  if (!reader.String(kKey, text)) return;
  int minor = 0;
  const char* const end = text.data() + text.size();
  bool supported = text.starts_with(kMajor) && text.size() > kMajor.size() && text[kMajor.size()] != '-';
  if (supported) {
    const auto [stop, error] = std::from_chars(text.data() + kMajor.size(), end, minor);
    supported = error == std::errc() && stop == end;
  }
  if (!supported) {
    reader.Error(kKey, ErrorCode::kSchemaVersionUnsupported,
                 fmt::format("version \"{}\" cannot be read", text),
                 fmt::format("write \"1.{}\"", newest_minor));
    return;
  }
  if (minor > newest_minor) {
    reader.Warn(
        kKey, ErrorCode::kSchemaVersionUnsupported,
        fmt::format("\"{}\" is newer than what this program knows; it is read as 1.{}", text, newest_minor));
  }
  version = std::move(text);
}

}  // namespace agenttalk
