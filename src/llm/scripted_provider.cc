#include "llm/scripted_provider.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "llm/model_errors.h"
#include "llm/model_provider.h"
#include "llm/script.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kBytesInAToken = 4;

// Everything a provider would send, in reading order.
std::string WholePrompt(const ModelRequest& request) {
  std::string text = request.system;
  for (const ChatMessage& message : request.messages) {
    if (!text.empty()) text += "\n\n";
    text += message.text;
  }
  return text;
}

ModelAnswer Answered(const ModelRequest& request, std::string text, std::uint32_t entry) {
  std::uint64_t sent = request.system.size();
  for (const ChatMessage& message : request.messages) sent += message.text.size();
  ModelAnswer answer;
  answer.usage.input_tokens = sent / kBytesInAToken + 1;
  answer.usage.output_tokens = text.size() / kBytesInAToken + 1;
  answer.text = std::move(text);
  answer.model = request.model;
  answer.script_entry = entry;
  return answer;
}

ModelReply NoAnswer(const ModelRequest& request, std::size_t entries, std::size_t spent) {
  ModelError error;
  error.kind = ModelErrorKind::kNoAnswer;
  error.message = fmt::format(
      "the script has no answer for this call (agent {}, stage {}{}{}, command {}, attempt {}): {}",
      request.ids.agent.str(), ToString(request.ids.stage), request.ids.task.empty() ? "" : ", task ",
      request.ids.task.str(), request.ids.command.str(), request.ids.attempt,
      spent == 0 ? fmt::format("none of its {} entries matches", entries)
                 : fmt::format("{} of its {} entries match, but were used as often as `times` allows", spent,
                               entries));
  return {std::unexpected(std::move(error)), {}};
}

}  // namespace

ScriptedProvider::ScriptedProvider(Script script, std::vector<std::uint64_t> uses)
    : script_(std::move(script)), uses_(std::move(uses)) {
  uses_.resize(script_.entries.size());
}

std::unique_ptr<ModelCall> ScriptedProvider::Ask(ModelRequest request, Done done) {
  ModelReply reply = Reply(request);
  if (request.timeout > Duration{} && reply.after > request.timeout) {
    const auto entry = reply.outcome ? reply.outcome->script_entry : reply.outcome.error().script_entry;
    ModelError late = TimedOut(request.timeout, "no complete answer");
    late.script_entry = entry;
    reply = {std::unexpected(std::move(late)), request.timeout};
  }
  done(std::move(reply));
  return nullptr;
}

bool ScriptedProvider::IsSpent(std::size_t entry) const {
  const auto& times = script_.entries[entry].times;
  return times && uses_[entry] >= *times;
}

ModelReply ScriptedProvider::Reply(const ModelRequest& request) {
  std::size_t spent = 0;
  for (std::size_t i = 0; i < script_.entries.size(); ++i) {
    const ScriptEntry& entry = script_.entries[i];
    if (!Matches(entry.when, request)) continue;
    if (IsSpent(i)) {
      ++spent;
      continue;
    }
    ++uses_[i];
    const auto number = static_cast<std::uint32_t>(i);
    if (entry.error) {
      ModelError error = *entry.error;
      error.script_entry = number;
      return {std::unexpected(std::move(error)), entry.delay};
    }
    std::string text = entry.echo ? CanonicalJson(boost::json::object{{"result", WholePrompt(request)}})
                                  : entry.answer.value_or("");
    return {Answered(request, std::move(text), number), entry.delay};
  }
  return NoAnswer(request, script_.entries.size(), spent);
}

}  // namespace agenttalk
