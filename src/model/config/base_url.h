#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/config/provider_kind.h"

namespace agenttalk {

struct UrlProblem {
  std::string message;
  std::string hint;
};

// Whether requests of this kind can be sent below an address; what people paste is often one step too far.
// Nothing: it can be used. A query string is kept for every request.
std::optional<UrlProblem> CheckBaseUrl(ProviderKind kind, std::string_view url);

}  // namespace agenttalk
