// Files of scripted answers: reading ends with a script, or with errors that each have a line and say
// something.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/issue.h"
#include "llm/script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto script = agenttalk::ParseScript({reinterpret_cast<const char*>(data), size});
  if (script) {
    for (const agenttalk::ScriptEntry& entry : script->entries) {
      CHECK((entry.answer ? 1 : 0) + (entry.error ? 1 : 0) + (entry.echo ? 1 : 0) == 1);
    }
    return 0;
  }
  CHECK(!script.error().errors.empty());
  for (const agenttalk::Issue& error : script.error().errors) {
    CHECK(!error.message.empty());
    CHECK(error.path.empty() || error.line > 0);
  }
  return 0;
}
