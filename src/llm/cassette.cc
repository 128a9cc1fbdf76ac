#include "llm/cassette.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMarkerLength = 32;
constexpr std::size_t kShownOfText = 60;  // bytes of a text that differs

bool IsMarker(std::string_view text) {
  return text.size() == kMarkerLength && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The composer's marker is of one hub and one call; everything else in a prompt is its content.
std::string WithoutFence(std::string text) {
  for (std::size_t at = text.find("<<<"); at != std::string::npos; at = text.find("<<<", at + 3)) {
    const std::string marker = text.substr(at + 3, kMarkerLength);
    if (!IsMarker(marker)) continue;
    for (std::size_t hit = text.find(marker); hit != std::string::npos; hit = text.find(marker, hit)) {
      text.replace(hit, kMarkerLength, "FENCE");
    }
    break;
  }
  return text;
}

std::string Clean(std::string_view text) {
  return Redact(WithoutFence(std::string(text)));
}

std::string Quoted(std::string_view text) {
  const std::string_view start = Utf8Prefix(text, kShownOfText);
  return fmt::format("\"{}{}\"", start, start.size() < text.size() ? "…" : "");
}

// Where two texts part: the line, and how each of them goes on from its beginning.
std::string TextDifference(std::string_view what, std::string_view recorded, std::string_view asked) {
  const auto [left, right] = std::ranges::mismatch(recorded, asked);
  const auto common = static_cast<std::size_t>(left - recorded.begin());
  const std::size_t line_start = common == 0 ? 0 : recorded.substr(0, common).rfind('\n') + 1;
  const auto line = 1 + std::count(recorded.begin(), left, '\n');
  return fmt::format("{} from line {}: recorded {}, now {}", what, line, Quoted(recorded.substr(line_start)),
                     Quoted(asked.substr(line_start)));
}

// What makes `asked` another request than the recorded one, one entry for each part that differs.
std::vector<std::string> Differences(const ModelRequest& recorded, const ModelRequest& asked) {
  std::vector<std::string> found;
  const auto compare = [&found](std::string_view what, std::string_view before, std::string_view now) {
    if (before != now) found.push_back(TextDifference(what, before, now));
  };
  compare("the provider", recorded.provider, asked.provider);
  compare("the model", recorded.model, asked.model);
  if (recorded.parameters != asked.parameters) found.emplace_back("the parameters");
  compare("the system text", recorded.system, asked.system);
  if (recorded.tools != asked.tools) found.emplace_back("the tools");
  if (recorded.messages.size() != asked.messages.size()) {
    found.push_back(fmt::format("the number of messages: recorded {}, now {}", recorded.messages.size(),
                                asked.messages.size()));
  }
  for (std::size_t i = 0; i < std::min(recorded.messages.size(), asked.messages.size()); ++i) {
    compare(fmt::format("message {}", i + 1), recorded.messages[i].text, asked.messages[i].text);
  }
  return found;
}

// How far two requests are apart in who asks and for what; content counts only between equals.
std::size_t Distance(const CallIds& recorded, const CallIds& asked) {
  return (recorded.agent == asked.agent ? 0U : 4U) + (recorded.task == asked.task ? 0U : 2U) +
         (recorded.stage == asked.stage ? 0U : 8U) + (recorded.attempt == asked.attempt ? 0U : 1U);
}

}  // namespace

ModelRequest ForCassette(const ModelRequest& request) {
  ModelRequest kept;
  kept.ids.agent = request.ids.agent;
  kept.ids.task = request.ids.task;
  kept.ids.command = request.ids.command;
  kept.ids.stage = request.ids.stage;
  kept.ids.attempt = request.ids.attempt;
  kept.provider = request.provider;
  kept.model = request.model;
  kept.parameters = request.parameters;
  kept.system = Clean(request.system);
  kept.answer_schema = request.answer_schema;
  kept.tools = request.tools;
  kept.messages = request.messages;
  for (ChatMessage& message : kept.messages) {
    message.text = Clean(message.text);
    for (ToolCall& call : message.tool_calls) call.arguments = Redact(call.arguments);
  }
  return kept;
}

const CassetteRecord* Cassette::Find(const Digest& key, std::uint32_t attempt,
                                     const CommandId& command) const {
  const auto chosen = [&](const std::vector<std::size_t>& places) {
    const auto same = [&](std::size_t place) { return records_[place].request.ids.command == command; };
    const auto own = std::find_if(places.rbegin(), places.rend(), same);
    return &records_[own == places.rend() ? places.back() : *own];
  };
  const auto after = index_.upper_bound({key, attempt});
  if (after != index_.begin()) {
    const auto before = std::prev(after);
    if (before->first.first == key) return chosen(before->second);
  }
  if (after != index_.end() && after->first.first == key) return chosen(after->second);
  return nullptr;
}

std::string Cassette::ExplainMiss(const ModelRequest& request) const {
  const ModelRequest asked = ForCassette(request);
  const std::string who = fmt::format("agent {}, stage {}, task {}, attempt {}", asked.ids.agent.str(),
                                      ToString(asked.ids.stage), asked.ids.task.str(), asked.ids.attempt);
  std::pair best{std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max()};
  std::vector<std::string> differences;
  for (const CassetteRecord& record : records_) {
    std::vector<std::string> found = Differences(record.request, asked);
    const std::pair rank{Distance(record.request.ids, asked.ids), found.size()};
    if (rank >= best) continue;
    best = rank;
    differences = std::move(found);
  }
  if (records_.empty()) return fmt::format("the cassette is empty; asked was {}", who);
  std::string text = fmt::format("the cassette has no answer for this request ({})", who);
  if (best.first >= 2) text += "; nothing was recorded for this agent, task and stage";
  text += differences.empty() ? "; the nearest differs in ids or in what was listed by path only"
                              : fmt::format("; the nearest differs in {}", fmt::join(differences, "; "));
  return text;
}

}  // namespace agenttalk
