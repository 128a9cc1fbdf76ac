#include "llm/endpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/redact.h"
#include "llm/wire_format.h"
#include "model/config/base_url.h"
#include "model/config/hub_config.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestKey = 4096;
constexpr int kOthersMayUse = 077;

// OLLAMA_HOST may be "host", "host:port" or a URL, and 0.0.0.0 where the server itself reads it.
std::string OllamaUrl(std::string host) {
  if (host.find("://") == std::string::npos) host = "http://" + host;
  const std::size_t name = host.find("://") + 3;
  if (host.find(':', name) == std::string::npos && host.starts_with("http://")) host += ":11434";
  if (const std::size_t any = host.find("//0.0.0.0"); any != std::string::npos)
    host.replace(any + 2, 7, "127.0.0.1");
  return host;
}

Result<std::string> CheckedKey(std::string key, const std::string& source) {
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r' || key.back() == ' ')) key.pop_back();
  const bool printable = std::ranges::all_of(key, [](char c) { return c > ' ' && c < '\x7f'; });
  if (key.empty() || !printable || key.size() > kLongestKey) {
    return Fail(ErrorCode::kProviderMissing, fmt::format("{} does not hold a key", source),
                "a key is one word of printable characters");
  }
  ProcessRedactor().AddSecret(key);
  return key;
}

// What comes from the environment may be a key.
Result<void> CheckHeaderValue(const std::string& variable, const std::string& value) {
  const bool one_line = std::ranges::all_of(value, [](char c) { return c >= ' ' && c < '\x7f'; });
  if (!one_line || value.size() > kLongestKey) {
    return Fail(ErrorCode::kProviderMissing, fmt::format("{} does not fit into a header", variable),
                "a header's value is one line of printable characters");
  }
  ProcessRedactor().AddSecret(value);
  return {};
}

Result<std::string> ReadKeyFile(const fs::path& file) {
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!opened.valid()) {
    return Fail(ErrorCode::kProviderMissing, fmt::format("the key file {} cannot be opened", file.string()),
                "check api_key_file");
  }
  struct stat status{};
  if (::fstat(opened.get(), &status) != 0) return FailErrno("fstat");
  if (!S_ISREG(status.st_mode) || (status.st_mode & kOthersMayUse) != 0) {
    return Fail(ErrorCode::kPermissionDenied, fmt::format("others may use the key file {}", file.string()),
                fmt::format("chmod 600 {}", file.string()));
  }
  std::array<char, kLongestKey + 2> bytes{};
  const ssize_t got = ::read(opened.get(), bytes.data(), bytes.size());
  if (got < 0) return FailErrno("read " + file.string());
  return CheckedKey(std::string(bytes.data(), static_cast<std::size_t>(got)), file.string());
}

// http://user:password@host: the password is a secret as well.
void HideCredentials(std::string_view url) {
  const std::size_t start = url.find("://");
  const std::size_t path =
      start == std::string_view::npos ? url.size() : std::min(url.find('/', start + 3), url.size());
  const std::size_t at = url.substr(0, path).rfind('@');  // a password may have one of its own
  if (start == std::string_view::npos || at == std::string_view::npos) return;
  const std::string_view user = url.substr(start + 3, at - start - 3);
  if (const std::size_t colon = user.find(':'); colon != std::string_view::npos) {
    ProcessRedactor().AddSecret(user.substr(colon + 1));
  }
}

// Those that say where something is; a key in an address would be seen by whoever reads logs.
bool MayStandInUrl(const std::string& variable) {
  return std::ranges::any_of(std::array{"_URL", "_ENDPOINT", "_HOST", "_RESOURCE", "_REGION", "_PROJECT"},
                             [&](const char* end) { return variable.ends_with(end); });
}

// ${NAME} in a setting; `setting` names it in errors.
template <typename Check>
Result<std::string> WithVariables(const std::string& text, const std::string& setting,
                                  const Environment& environment, const Check& check) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = text.find("${", at);
    const std::size_t end = start == std::string::npos ? start : text.find('}', start);
    if (end == std::string::npos) {
      out += text.substr(at);
      break;
    }
    out += text.substr(at, start - at);
    const std::string name = text.substr(start + 2, end - start - 2);
    const std::string value = environment(name).value_or("");
    if (value.empty()) {
      return Fail(ErrorCode::kProviderMissing,
                  fmt::format("{} names the variable {}, which is not set", setting, name),
                  fmt::format("set {}", name));
    }
    TRY(check(name, value));
    out += value;
    at = end + 1;
  }
  return out;
}

class Finder {
 public:
  Finder(const ProviderConfig& config, const Environment& environment, const fs::path& hub)
      : config_(config), environment_(environment), hub_(hub), vendor_(ProviderRow(config.kind)) {}

  Result<Endpoint> Find() {
    Endpoint endpoint;
    endpoint.kind = config_.kind;
    WireOptions& wire = endpoint.wire;
    TRY(FindUrl(wire));
    TRY(FindHeaders(wire));
    TRY(FindKey(endpoint));
    if (!config_.ca_file.empty()) endpoint.ca_file = TRY(FindCertificates());
    wire.model = config_.model;
    if (wire.model.empty() && is_vendors_) wire.model = vendor_.model;
    endpoint.needs_model = wire.model.empty();
    wire.parameters = config_.parameters;
    wire.max_tokens_as = config_.max_tokens_as;
    wire.stream = config_.stream;
    wire.structured_output = config_.structured_output;
    wire.native_tools = config_.native_tools;
    return endpoint;
  }

 private:
  Result<void> FindUrl(WireOptions& wire) {
    std::string url = TRY(WithVariables(
        config_.base_url, "base_url", environment_,
        [](const std::string& name, const std::string&) -> Result<void> {
          if (MayStandInUrl(name)) return {};
          return Fail(ErrorCode::kProviderMissing, fmt::format("base_url may not hold the variable {}", name),
                      "its name must end with _URL, _ENDPOINT, _HOST, _RESOURCE, _REGION or _PROJECT");
        }));
    const bool named = !url.empty();
    if (url.empty()) {
      url = environment_(vendor_.url_variable).value_or("");
      may_take_usual_key_ = true;
      is_vendors_ = url.empty();
      if (!url.empty() && config_.kind == ProviderKind::kOllama) url = OllamaUrl(url);
      if (url.empty()) url = vendor_.url;
    }
    if (const auto problem = CheckBaseUrl(config_.kind, url)) {
      return Fail(ErrorCode::kProviderMissing,
                  fmt::format("{} {}", named ? "base_url" : vendor_.url_variable, problem->message),
                  problem->hint.empty() ? "e.g. " + std::string(vendor_.url) : problem->hint);
    }
    if (const std::size_t question = url.find('?'); question != std::string::npos) {
      wire.query = url.substr(question + 1);
      url.resize(question);
    }
    while (url.ends_with('/')) url.pop_back();
    may_take_usual_key_ = may_take_usual_key_ || url == vendor_.url;
    HideCredentials(url);
    wire.base_url = std::move(url);
    return {};
  }

  Result<void> FindHeaders(WireOptions& wire) {
    for (const auto& [name, value] : config_.headers) {
      std::string sent = TRY(ExpandHeader(value, "the header " + name, environment_));
      wire.headers.push_back({name, std::move(sent)});
    }
    return {};
  }

  [[nodiscard]] Result<std::string> FindCertificates() const {
    const fs::path file = hub_ / config_.ca_file;
    if (::access(file.c_str(), R_OK) != 0) {
      return Fail(ErrorCode::kProviderMissing,
                  fmt::format("the certificates {} cannot be read", file.string()), "check ca_file");
    }
    return file.string();
  }

  Result<void> FindKey(Endpoint& endpoint) {
    if (!config_.api_key_file.empty()) {
      endpoint.wire.api_key = TRY(ReadKeyFile(hub_ / config_.api_key_file));
      endpoint.key_source = "the file " + config_.api_key_file;
      return {};
    }
    const bool named = !config_.api_key_env.empty();
    const std::string variable = named ? config_.api_key_env : vendor_.key_variable;
    if (!named && !may_take_usual_key_) return {};
    if (const auto key = environment_(variable); key && !key->empty()) {
      endpoint.wire.api_key = TRY(CheckedKey(*key, variable));
      endpoint.key_source = variable;
      return {};
    }
    const bool in_header = config_.headers.contains("authorization") || config_.headers.contains("x-api-key");
    const bool needed = named || (is_vendors_ && !in_header && vendor_.needs_key);
    if (!needed) return {};
    return Fail(ErrorCode::kProviderMissing, fmt::format("there is no key for {}", ToString(config_.kind)),
                fmt::format("set {}", variable));
  }

  const ProviderConfig& config_;
  const Environment& environment_;
  const fs::path& hub_;
  const ProviderKindRow& vendor_;
  bool may_take_usual_key_ = false;
  bool is_vendors_ = false;
};

}  // namespace

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

Result<std::string> ExpandHeader(const std::string& value, const std::string& setting,
                                 const Environment& environment) {
  return WithVariables(value, setting, environment, [](const std::string& variable, const std::string& text) {
    return CheckHeaderValue(variable, text);
  });
}

Result<Endpoint> FindEndpoint(const ProviderConfig& config, const Environment& environment,
                              const fs::path& hub) {
  return Finder(config, environment, hub).Find();
}

bool SendsKeyInClear(const Endpoint& endpoint) {
  const std::string_view url = endpoint.wire.base_url;
  if (endpoint.wire.api_key.empty() || !url.starts_with("http://")) return false;
  std::string_view host = url.substr(7, url.find('/', 7) - 7);
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) host.remove_prefix(at + 1);
  return !host.starts_with("127.") && !host.starts_with("localhost") && !host.starts_with("[::1]");
}

std::string VendorUrl(ProviderKind kind) {
  return ProviderRow(kind).url;
}

std::unique_ptr<WireFormat> MakeFormat(const Endpoint& endpoint) {
  switch (endpoint.kind) {
    case ProviderKind::kAnthropic:
      return MakeAnthropicFormat(endpoint.wire);
    case ProviderKind::kOllama:
      return MakeOllamaFormat(endpoint.wire);
    case ProviderKind::kOpenaiResponses:
      return MakeResponsesFormat(endpoint.wire);
    case ProviderKind::kOpenai:
    case ProviderKind::kExec:
    case ProviderKind::kScripted:
      break;
  }
  return MakeOpenaiFormat(endpoint.wire);
}

}  // namespace agenttalk
