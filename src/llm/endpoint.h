#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "llm/wire_format.h"
#include "model/config/hub_config.h"

// Where a configured server is and which key it takes.
namespace agenttalk {

// The variables of the process, or a test's.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment ProcessEnvironment();

struct Endpoint {
  ProviderKind kind = ProviderKind::kOpenai;
  WireOptions wire;
  std::string key_source;    // "ANTHROPIC_API_KEY", "the file keys/a"; empty: no key is sent
  std::string ca_file = {};  // certificates to trust instead of the usual ones
  bool needs_model = false;  // nobody has named a model, and the server's own list is to be asked
};

// The key comes from `api_key_file`, `api_key_env`, or the vendor's usual variable; the last only where the
// address is the vendor's own or comes from the environment too, so that a key is never sent to a server that
// was not meant to have it. A key that is read is known to the redactor before anybody can speak it.
// PROVIDER_MISSING says what to set.
Result<Endpoint> FindEndpoint(const ProviderConfig& config, const Environment& environment,
                              const std::filesystem::path& hub);

// The value of a header, with the values of the variables that it names as ${NAME}: they are known to the
// redactor from then on. `setting` says in errors what names them. PROVIDER_MISSING: one is not set.
Result<std::string> ExpandHeader(const std::string& value, const std::string& setting,
                                 const Environment& environment);

// Whether the key would cross a network where everybody on the way can read it.
bool SendsKeyInClear(const Endpoint& endpoint);

// The server that a kind of provider belongs to.
std::string VendorUrl(ProviderKind kind);

std::unique_ptr<WireFormat> MakeFormat(const Endpoint& endpoint);

}  // namespace agenttalk
