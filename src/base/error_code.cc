#include "base/error_code.h"

#include <optional>
#include <string_view>

namespace agenttalk {

std::string_view ToString(ErrorCode code) {
  switch (code) {
#define X(name, text) \
  case ErrorCode::name: \
    return text;
    AGENTTALK_ERROR_CODES(X)
#undef X
  }
  return "INTERNAL";
}

std::optional<ErrorCode> CodeNamed(std::string_view name) {
#define X(code, text) \
  if (name == (text)) return ErrorCode::code;
  AGENTTALK_ERROR_CODES(X)
#undef X
  return std::nullopt;
}

}  // namespace agenttalk
