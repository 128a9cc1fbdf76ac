#include "model/steps/step_reference.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kOpen = "${";

// A piece of a text: words as they are, or one reference.
struct Piece {
  std::string_view words;
  std::optional<StepReference> reference;
  bool broken = false;
};

Piece ReadReference(std::string_view inner, std::string_view whole) {
  const std::size_t dot = inner.rfind('.');
  if (dot == std::string_view::npos) return {whole, {}, true};
  StepReference reference{std::string(inner.substr(0, dot)), std::string(inner.substr(dot + 1))};
  if (!IsSafeName(reference.owner) || !IsSafeName(reference.field)) return {whole, {}, true};
  return {whole, std::move(reference), false};
}

std::vector<Piece> Split(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t at = text.find(kOpen);
    if (at == std::string_view::npos) {
      pieces.push_back({text, {}, false});
      break;
    }
    if (at > 0 && text[at - 1] == '$') {  // "$${": text, without one of its dollars
      pieces.push_back({text.substr(0, at - 1), {}, false});
      pieces.push_back({text.substr(at - 1, 3), {}, false});
      text.remove_prefix(at + kOpen.size());
      continue;
    }
    if (at > 0) pieces.push_back({text.substr(0, at), {}, false});
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) {
      pieces.push_back({text.substr(at), {}, true});
      break;
    }
    pieces.push_back(ReadReference(text.substr(at + 2, end - at - 2), text.substr(at, end + 1 - at)));
    text.remove_prefix(end + 1);
  }
  return pieces;
}

bool IsEscape(const Piece& piece) {
  return piece.words == "$${" && !piece.broken;
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kOpen)) out += '$';
    out += text[i];
  }
  return out;
}

template <typename F>
Result<void> ForEachString(const json::value& value, const F& visit) {
  if (value.is_string()) return visit(std::string_view(value.get_string()));
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) TRY(ForEachString(item, visit));
  } else if (value.is_object()) {
    for (const auto& member : value.get_object()) TRY(ForEachString(member.value(), visit));
  }
  return {};
}

// The one reference that a string consists of.
std::optional<StepReference> OnlyReference(std::string_view text) {
  std::vector<Piece> pieces = Split(text);
  return pieces.size() == 1 ? std::move(pieces.front().reference) : std::nullopt;
}

}  // namespace

Result<std::vector<StepReference>> ReferencesIn(std::string_view text) {
  std::vector<StepReference> references;
  for (Piece& piece : Split(text)) {
    if (piece.broken) {
      return Fail(ErrorCode::kValueInvalid, fmt::format("{} is not a reference", piece.words.substr(0, 64)),
                  "write ${step_id.result}, or $${ for the two characters themselves");
    }
    if (piece.reference) references.push_back(std::move(*piece.reference));
  }
  return references;
}

Result<std::vector<StepReference>> ReferencesIn(const json::value& value) {
  std::vector<StepReference> all;
  TRY(ForEachString(value, [&](std::string_view text) -> Result<void> {
    for (StepReference& one : TRY(ReferencesIn(text))) all.push_back(std::move(one));
    return {};
  }));
  return all;
}

std::string Substitute(std::string_view text, const ReferenceLookup& lookup, bool escape) {
  std::string out;
  const auto append = [&](std::string_view more) {
    // Two texts must not make a reference together that neither holds.
    if (escape && out.ends_with('$') && more.starts_with('{')) out += '$';
    out += more;
  };
  for (const Piece& piece : Split(text)) {
    const auto found = piece.reference ? lookup(*piece.reference) : std::nullopt;
    if (found) {
      append(escape ? Escaped(found->text) : found->text);
    } else {
      append(IsEscape(piece) && !escape ? std::string_view("${") : piece.words);
    }
  }
  return out;
}

void Substitute(json::value& value, const ReferenceLookup& lookup, bool escape) {
  if (value.is_array()) {
    for (json::value& item : value.get_array()) Substitute(item, lookup, escape);
  } else if (value.is_object()) {
    for (auto& member : value.get_object()) Substitute(member.value(), lookup, escape);
  }
  if (!value.is_string()) return;
  const std::string text(value.get_string());
  if (const auto only = OnlyReference(text)) {
    const auto found = lookup(*only);
    if (found && found->is_json) {
      if (auto parsed = ParseJson(found->text)) {
        value = std::move(*parsed);
        return;
      }
    }
  }
  value = Substitute(text, lookup, escape);
}

}  // namespace agenttalk
