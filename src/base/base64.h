#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace agenttalk {

// RFC 4648 with padding, without line breaks: how bytes that are no text travel in JSON.
std::string EncodeBase64(std::string_view bytes);
// Nothing when it is not base64.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace agenttalk
