// JSON: whatever parses has one canonical form, which parses to itself, as the pretty form does; limits hold.
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/utf8.h"

namespace agenttalk {
namespace {

void CheckJson(std::string_view text) {
  const auto value = ParseJson(text, {.max_depth = 16});
  if (!value) {
    const ErrorCode code = value.error().code;
    CHECK(code == ErrorCode::kJsonInvalid || code == ErrorCode::kJsonTooDeep);
    CHECK(!value.error().message.empty());
    return;
  }
  const std::string canonical = CanonicalJson(*value);
  CHECK(IsUtf8(canonical));
  const auto again = ParseJson(canonical, {.max_bytes = canonical.size(), .max_depth = 16});
  CHECK(again);
  CHECK(CanonicalJson(*again) == canonical);
  const auto pretty = ParseJson(PrettyJson(*value), {.max_bytes = std::size_t{1} << 24, .max_depth = 16});
  CHECK(pretty);
  CHECK(CanonicalJson(*pretty) == canonical);
}

}  // namespace
}  // namespace agenttalk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agenttalk::CheckJson({reinterpret_cast<const char*>(data), size});
  return 0;
}
