#pragma once

#include <span>
#include <string>

#include "cli/verb.h"

namespace agenttalk {

// agenttalk(1), in the language of man: made from the table of verbs, like help and completion.
std::string ManPage(std::span<const Verb> verbs);

}  // namespace agenttalk
