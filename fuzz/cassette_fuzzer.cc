// Cassettes: reading ends with records or errors; a record that was read is written as a line that reads the
// same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/issue.h"
#include "llm/cassette.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using agenttalk::Cassette;
  const auto cassette = Cassette::Parse({reinterpret_cast<const char*>(data), size});
  if (!cassette) {
    for (const agenttalk::Issue& error : cassette.error().errors)
      CHECK(error.line > 0 && !error.message.empty());
    return 0;
  }
  for (const agenttalk::CassetteRecord& record : cassette->records()) {
    const std::string line = EncodeRecord(record);
    const auto again = Cassette::Parse(line);
    CHECK(again && again->records().size() == 1);
    CHECK(EncodeRecord(again->records()[0]) == line);
  }
  return 0;
}
