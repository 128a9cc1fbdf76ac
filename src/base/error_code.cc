#include "base/error_code.h"

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

}  // namespace agenttalk
