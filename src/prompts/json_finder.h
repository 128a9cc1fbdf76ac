#pragma once

#include <expected>
#include <string_view>

#include "base/issue.h"

namespace agenttalk {

// The JSON object in a model's answer: bare, in a code fence, or the one balanced object in a text. The view
// is into `text`; what it shows is balanced, not yet known to be valid.
//
// A leading <think>…</think>, which reasoning models put before the answer, is skipped. In prose only a brace
// that is followed by a quotation mark begins an object, so that {name} or {1, 2} in a sentence do not count;
// one that begins and never ends makes the whole text invalid, because an object inside a truncated answer is
// not the answer. Every step looks at each byte once.
std::expected<std::string_view, Issue> FindJsonObject(std::string_view text);

}  // namespace agenttalk
