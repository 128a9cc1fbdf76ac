#pragma once

#include <memory>
#include <vector>

#include "api/page/server.h"
#include "base/error.h"
#include "cli/verb.h"
#include "runtime/hub.h"

// What verbs that serve the page take: --http, --tls-cert, --tls-key, --insecure-http, --read-only.
namespace agenttalk {

// They and what else the verb takes.
std::vector<Parameter> WithPageParameters(std::vector<Parameter> own);

// The page, where --http asks for one; null: it does not.
Result<std::unique_ptr<PageServer>> OpenPage(const Invocation& call, Hub& hub);
// The same where a page is always wanted.
Result<std::unique_ptr<PageServer>> OpenWantedPage(const Invocation& call, Hub& hub);

}  // namespace agenttalk
