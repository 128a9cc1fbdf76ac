#pragma once

#include "cli/verb.h"

// The rows of the verb table, one function per file.
namespace agenttalk {

Verb CommandNewVerb();
Verb InitVerb();
Verb ValidateVerb();

}  // namespace agenttalk
