#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace agenttalk {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "agenttalk: internal error at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace agenttalk
