// What a program that plays a model prints: it ends with an answer or an error, and reading it again gives
// the same. The first byte chooses where the answer is looked for.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "llm/program_output.h"
#include "model/request/model_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<std::string, 4> kPlaces = {"", "/result", "/item/text", "/part/text"};
  if (size < 1) return 0;
  const std::string& place = kPlaces[data[0] % kPlaces.size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const agenttalk::ModelOutcome outcome = agenttalk::ReadProgramAnswer(bytes, place);
  CHECK(outcome == agenttalk::ReadProgramAnswer(bytes, place));
  if (outcome) {
    CHECK(agenttalk::IsUtf8(outcome->text));
    CHECK(!outcome->cost_usd || *outcome->cost_usd >= 0);
  } else {
    CHECK(!outcome.error().message.empty());
  }
  CHECK(agenttalk::IsUtf8(agenttalk::ProgramFailure(bytes, bytes)));
  return 0;
}
