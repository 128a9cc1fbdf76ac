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
#include "model/config/hub_config.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestKey = 4096;
constexpr int kOthersMayUse = 077;

struct Vendor {
  const char* key_variable;
  const char* url_variable;
  const char* url;
  const char* model;
};

Vendor VendorOf(ProviderKind kind) {
  switch (kind) {
    case ProviderKind::kAnthropic:
      return {"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com", "claude-sonnet-4-5"};
    case ProviderKind::kOllama:
      return {"OLLAMA_API_KEY", "OLLAMA_HOST", "http://127.0.0.1:11434", ""};
    case ProviderKind::kOpenai:
    case ProviderKind::kExec:  // no server: nobody asks
    case ProviderKind::kScripted:
      break;
  }
  return {"OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1", "gpt-5-mini"};
}

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
  const std::size_t at = url.find('@');
  if (start == std::string_view::npos || at == std::string_view::npos) return;
  const std::string_view user = url.substr(start + 3, at - start - 3);
  if (const std::size_t colon = user.find(':'); colon != std::string_view::npos) {
    ProcessRedactor().AddSecret(user.substr(colon + 1));
  }
}

class Finder {
 public:
  Finder(const ProviderConfig& config, const Environment& environment, const fs::path& hub)
      : config_(config), environment_(environment), hub_(hub), vendor_(VendorOf(config.kind)) {}

  Result<Endpoint> Find() {
    Endpoint endpoint;
    endpoint.kind = config_.kind;
    WireOptions& wire = endpoint.wire;
    FindUrl(wire);
    TRY(FindKey(endpoint));
    wire.model = config_.model;
    if (wire.model.empty()) wire.model = is_vendors_ ? vendor_.model : "default";
    if (config_.kind == ProviderKind::kOllama && config_.model.empty()) {
      return Fail(ErrorCode::kProviderMissing, "an ollama provider needs a model",
                  "set model: NAME; `ollama list` shows what is there");
    }
    wire.max_tokens = config_.max_tokens;
    wire.temperature = config_.temperature;
    wire.stream = config_.stream;
    wire.structured_output = config_.structured_output;
    wire.native_tools = config_.native_tools;
    return endpoint;
  }

 private:
  void FindUrl(WireOptions& wire) {
    std::string url = config_.base_url;
    if (url.empty()) {
      url = environment_(vendor_.url_variable).value_or("");
      may_take_usual_key_ = true;
      is_vendors_ = url.empty();
      if (!url.empty() && config_.kind == ProviderKind::kOllama) url = OllamaUrl(url);
      if (url.empty()) url = vendor_.url;
    }
    while (url.ends_with('/')) url.pop_back();
    may_take_usual_key_ = may_take_usual_key_ || url == vendor_.url;
    HideCredentials(url);
    wire.base_url = std::move(url);
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
    const bool needed = named || (is_vendors_ && config_.kind != ProviderKind::kOllama);
    if (!needed) return {};
    return Fail(ErrorCode::kProviderMissing, fmt::format("there is no key for {}", ToString(config_.kind)),
                fmt::format("set {}", variable));
  }

  const ProviderConfig& config_;
  const Environment& environment_;
  const fs::path& hub_;
  const Vendor vendor_;
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

Result<Endpoint> FindEndpoint(const ProviderConfig& config, const Environment& environment,
                              const fs::path& hub) {
  return Finder(config, environment, hub).Find();
}

std::unique_ptr<WireFormat> MakeFormat(const Endpoint& endpoint) {
  switch (endpoint.kind) {
    case ProviderKind::kAnthropic:
      return MakeAnthropicFormat(endpoint.wire);
    case ProviderKind::kOllama:
      return MakeOllamaFormat(endpoint.wire);
    case ProviderKind::kOpenai:
    case ProviderKind::kExec:
    case ProviderKind::kScripted:
      break;
  }
  return MakeOpenaiFormat(endpoint.wire);
}

}  // namespace agenttalk
