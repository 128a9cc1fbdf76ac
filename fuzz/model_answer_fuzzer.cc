// What a model server sends, read as each vendor's answer: it ends with an answer or an error, never larger
// than the limit, and cutting the bytes elsewhere changes nothing. The first byte chooses the vendor, the
// second where the bytes are cut.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/check.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

namespace {

constexpr std::size_t kLimit = 2000;

agenttalk::ModelOutcome Read(const agenttalk::WireFormat& format, std::string_view bytes, std::size_t step) {
  agenttalk::AnswerReader reader(format, kLimit);
  for (std::size_t at = 0; at < bytes.size(); at += step) reader.Feed(bytes.substr(at, step));
  return reader.Finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::array<std::unique_ptr<agenttalk::WireFormat>, 4> kFormats = {
      agenttalk::MakeAnthropicFormat({}), agenttalk::MakeOpenaiFormat({}), agenttalk::MakeOllamaFormat({}),
      agenttalk::MakeResponsesFormat({})};
  if (size < 2) return 0;
  const agenttalk::WireFormat& format = *kFormats[data[0] % kFormats.size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const agenttalk::ModelOutcome whole = Read(format, bytes, bytes.size() + 1);
  CHECK(Read(format, bytes, 1 + data[1] % 7U) == whole);
  if (whole) {
    CHECK(whole->text.size() <= kLimit);
  } else {
    CHECK(!whole.error().message.empty());
  }
  return 0;
}
