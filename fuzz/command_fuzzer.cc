// Commands: a command that is read is read again from its own JSON and from its own bytes as the same value;
// what generate_command returns passes strict validation; strict validation accepts nothing that intake
// refuses.
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/codec.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/command/command.h"
#include "model/command/generation.h"
#include "model/command/reading.h"

namespace agenttalk {
namespace {

void CheckIssues(const ReadCommandResult& result) {
  CHECK(result.command.has_value() == result.issues.ok());
  for (const Issue& issue : result.issues.errors) CHECK(!issue.message.empty());
  for (const Issue& issue : result.issues.warnings) CHECK(!issue.message.empty());
}

void CheckRoundTrip(const Command& command) {
  const boost::json::value json = ToJson(command);
  const ReadCommandResult again = ReadCommand(json, CommandStrictness::kStrict);
  CHECK(again.command && *again.command == command);
  CHECK(CanonicalJson(ToJson(*again.command)) == CanonicalJson(json));
  ByteWriter writer;
  writer.Put(command);
  ByteReader reader(writer.str());
  Command copy;
  reader.Get(copy);
  CHECK(reader.ok() && reader.AtEnd() && copy == command);
}

void CheckCommand(std::string_view text) {
  const ReadCommandResult intake = ParseCommand(text, CommandStrictness::kIntake);
  const ReadCommandResult strict = ParseCommand(text, CommandStrictness::kStrict);
  CheckIssues(intake);
  CheckIssues(strict);
  if (strict.command) CHECK(intake.command && *intake.command == *strict.command);
  if (intake.command) CheckRoundTrip(*intake.command);
  const auto params = ParseJson(text);
  if (!params) return;
  const ReadCommandResult generated = GenerateCommand(*params);
  CheckIssues(generated);
  if (generated.command) CheckRoundTrip(*generated.command);
  if (strict.command) CHECK(generated.command && generated.command->command_id == strict.command->command_id);
}

}  // namespace
}  // namespace agenttalk

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  agenttalk::CheckCommand({reinterpret_cast<const char*>(data), size});
  return 0;
}
