#include "engine/turn/input.h"

#include <string>
#include <variant>

#include "base/digest.h"
#include "model/content/content.h"

namespace agenttalk {

Digest DigestOf(const Payload& payload) {
  if (const Content* stored = std::get_if<Content>(&payload)) return stored->digest;
  return Sha256(std::get<std::string>(payload));
}

}  // namespace agenttalk
