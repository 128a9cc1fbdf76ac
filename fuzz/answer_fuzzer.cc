// Model answers: whatever a model says, reading ends with an answer or with errors that say something; and an
// answer that is accepted bare is accepted the same in a code fence and in the middle of a text.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/issue.h"
#include "prompts/answer_reader.h"
#include "prompts/json_finder.h"

namespace agenttalk {
namespace {

AnswerContract ContractFor(std::uint8_t choice) {
  static const std::vector<std::string> names = {"summary.md", "facts.json"};
  AnswerContract contract;
  contract.score_required = (choice & 1) != 0;
  contract.outputs.assign(names.begin(), names.begin() + (choice >> 1) % 3);
  contract.commands_allowed = (choice & 8) == 0;
  contract.tools_allowed = (choice & 16) == 0;
  return contract;
}

void CheckWrapped(std::string_view bare, const AnswerContract& contract, const Answer& expected) {
  const std::string object(bare);
  for (const std::string& text : {"```json\n" + object + "\n```", "Here:\n\n```\n" + object + "\n```\nDone.",
                                  "Sure: " + object + " That is {all}.", " \n" + object + "\r\n"}) {
    const auto answer = ReadAnswer(text, contract);
    CHECK(answer && *answer == expected);
  }
}

void CheckReading(std::uint8_t choice, std::string_view text) {
  const AnswerContract contract = ContractFor(choice);
  const auto answer = ReadAnswer(text, contract);
  if (answer) {
    CheckWrapped(FindJsonObject(text).value(), contract, *answer);
    return;
  }
  CHECK(!answer.error().errors.empty());
  for (const Issue& error : answer.error().errors) CHECK(!error.message.empty());
}

}  // namespace
}  // namespace agenttalk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) agenttalk::CheckReading(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
