#include "base/redact.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace agenttalk {

// Aho-Corasick: one step per byte finds the longest secret that ends there.
class Redactor::Automaton {
 public:
  explicit Automaton(const std::vector<std::string>& secrets) : nodes_(1) {
    for (const std::string& secret : secrets) Insert(secret);
    LinkFailures();
  }

  // Calls `found(start, end)` for every place where a secret ends, with increasing `end`.
  template <typename Found>
  void Search(std::string_view text, Found&& found) const {
    std::uint32_t state = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      state = nodes_[state].next[static_cast<unsigned char>(text[i])];
      if (nodes_[state].length > 0) found(i + 1 - nodes_[state].length, i + 1);
    }
  }

 private:
  struct Node {
    std::array<std::uint32_t, 256> next{};
    std::uint32_t failure = 0;
    std::size_t length = 0;  // of the longest secret that ends in this state
  };

  void Insert(std::string_view secret) {
    std::uint32_t state = 0;
    for (const char c : secret) {
      const auto byte = static_cast<unsigned char>(c);
      if (nodes_[state].next[byte] == 0) {
        nodes_[state].next[byte] = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
      }
      state = nodes_[state].next[byte];
    }
    nodes_[state].length = secret.size();
  }

  // Breadth first, so that the failure target, being shorter, is complete when it is needed.
  void LinkFailures() {
    std::deque<std::uint32_t> queue = {0};
    while (!queue.empty()) {
      const std::uint32_t state = queue.front();
      queue.pop_front();
      const std::uint32_t failure = nodes_[state].failure;
      nodes_[state].length = std::max(nodes_[state].length, nodes_[failure].length);
      for (std::size_t byte = 0; byte < 256; ++byte) {
        const std::uint32_t child = nodes_[state].next[byte];
        const std::uint32_t fallback = state == 0 ? 0 : nodes_[failure].next[byte];
        if (child == 0) {
          nodes_[state].next[byte] = fallback;
        } else {
          nodes_[child].failure = fallback;
          queue.push_back(child);
        }
      }
    }
  }

  std::vector<Node> nodes_;
};

namespace {

constexpr std::size_t kShortestSecret = 6;
constexpr std::string_view kReplacement = "[redacted]";

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}
bool IsKeyCharacter(char c) {
  return IsLetterOrDigit(c) || c == '-' || c == '_';
}
bool IsTokenCharacter(char c) {
  return IsKeyCharacter(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}
bool IsUpperOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

std::size_t RunLength(std::string_view text, bool (*belongs)(char)) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, belongs) - text.begin());
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view lower_case) {
  if (text.size() < lower_case.size()) return false;
  return std::ranges::equal(text.substr(0, lower_case.size()), lower_case, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

// A word that gives a secret away by its own shape.
struct Shape {
  std::string_view prefix;
  bool (*belongs)(char);
  std::size_t least;  // characters after the prefix
};
constexpr Shape kShapes[] = {
    {"sk-", IsKeyCharacter, 16},        // OpenAI, Anthropic and many others
    {"sk_live_", IsLetterOrDigit, 16},  // Stripe
    {"sk_test_", IsLetterOrDigit, 16},
    {"rk_live_", IsLetterOrDigit, 16},
    {"rk_test_", IsLetterOrDigit, 16},
    {"whsec_", IsTokenCharacter, 16},
    {"ghp_", IsLetterOrDigit, 30},  // GitHub
    {"gho_", IsLetterOrDigit, 30},
    {"ghu_", IsLetterOrDigit, 30},
    {"ghs_", IsLetterOrDigit, 30},
    {"ghr_", IsLetterOrDigit, 30},
    {"github_pat_", IsKeyCharacter, 30},
    {"glpat-", IsKeyCharacter, 16},  // GitLab
    {"gldt-", IsKeyCharacter, 16},
    {"glrt-", IsKeyCharacter, 16},
    {"glptt-", IsKeyCharacter, 16},
    {"xoxb-", IsKeyCharacter, 16},  // Slack
    {"xoxp-", IsKeyCharacter, 16},
    {"xoxa-", IsKeyCharacter, 16},
    {"xoxr-", IsKeyCharacter, 16},
    {"xoxs-", IsKeyCharacter, 16},
    {"xoxe-", IsKeyCharacter, 16},
    {"xapp-", IsKeyCharacter, 16},
    {"AKIA", IsUpperOrDigit, 16},  // AWS
    {"ASIA", IsUpperOrDigit, 16},
    {"AIza", IsKeyCharacter, 30},  // Google
    {"ya29.", IsTokenCharacter, 20},
    {"GOCSPX-", IsKeyCharacter, 20},
    {"npm_", IsLetterOrDigit, 30},
    {"pypi-", IsKeyCharacter, 40},
    {"hf_", IsLetterOrDigit, 30},      // Hugging Face
    {"dop_v1_", IsLetterOrDigit, 40},  // DigitalOcean
    {"SG.", IsTokenCharacter, 40},     // SendGrid
    {"shpat_", IsLetterOrDigit, 30},   // Shopify
    {"dapi", IsLetterOrDigit, 32},     // Databricks
    {"hvs.", IsKeyCharacter, 20},      // Vault
    {"AGE-SECRET-KEY-", IsUpperOrDigit, 40},
};

// A name whose value is secret whatever it looks like: `x-api-key: …`, `"api_key": "…"`, `Bearer …`.
struct SecretName {
  std::string_view name;
  bool assigned;  // a colon or an equals sign must follow, and the value must not look like a word
};
constexpr SecretName kSecretNames[] = {
    {"bearer", false},
    {"x-api-key", false},
    {"api-key", false},
    {"api_key", false},
    {"apikey", false},
    {"aws_secret_access_key", false},
    {"aws_session_token", false},
    {"x-goog-api-key", false},
    {"accountkey", true},
    {"sharedaccesskey", true},
    {"authorization", true},
    {"client_secret", true},
    {"client-secret", true},
    {"access_token", true},
    {"refresh_token", true},
    {"id_token", true},
    {"auth_token", true},
    {"private_token", true},
    {"private-token", true},
    {"secret_key", true},
    {"secret", true},
    {"password", true},
    {"passwd", true},
    {"pgpassword", true},
};

// What a word that starts with a character can be: most words can be nothing of it, the others one or two of
// the lists above. A bit for each.
struct Candidates {
  std::uint64_t shapes = 0;
  std::uint64_t names = 0;
  bool other = false;  // a token, a private key, or part of an address
};
static_assert(std::size(kShapes) <= 64 && std::size(kSecretNames) <= 64);

constexpr char Upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

constexpr auto kCandidates = [] {
  std::array<Candidates, 256> table{};
  const auto at = [&](char first) -> Candidates& { return table.at(static_cast<unsigned char>(first)); };
  for (std::size_t i = 0; i < std::size(kShapes); ++i) {
    at(kShapes[i].prefix.front()).shapes |= std::uint64_t{1} << i;
  }
  for (std::size_t i = 0; i < std::size(kSecretNames); ++i) {
    const char first = kSecretNames[i].name.front();
    at(first).names |= std::uint64_t{1} << i;
    at(Upper(first)).names |= std::uint64_t{1} << i;
  }
  for (const char first : std::string_view("e-:?&")) at(first).other = true;
  return table;
}();

const Candidates& CandidatesFor(char first) {
  return kCandidates[static_cast<unsigned char>(first)];
}

// Calls `visit` with the number of every bit that is set, lowest first, until it returns true.
template <typename Visit>
void ForEachBit(std::uint64_t bits, Visit&& visit) {
  for (; bits != 0; bits &= bits - 1) {
    if (visit(static_cast<std::size_t>(std::countr_zero(bits)))) return;
  }
}

bool IsEncodedCharacter(char c) {
  return IsKeyCharacter(c) || c == '=';
}

// eyJ….….…: a signed token.
std::size_t TokenLength(std::string_view text) {
  constexpr std::size_t kShortestPart = 8;
  if (!text.starts_with("eyJ")) return 0;
  std::size_t at = 0;
  for (int part = 0; part < 3; ++part) {
    if (part > 0 && (at >= text.size() || text[at++] != '.')) return 0;
    const std::size_t length = RunLength(text.substr(at), IsEncodedCharacter);
    if (length < kShortestPart) return 0;
    at += length;
  }
  return at;
}

// A private key, from its first line to its last, or to the end of the text when that is cut off.
std::size_t PrivateKeyLength(std::string_view text) {
  constexpr std::string_view kEnd = "-----END ";
  constexpr std::size_t kLongestHead = 64;
  if (!text.starts_with("-----BEGIN ")) return 0;
  if (text.substr(0, kLongestHead).find("PRIVATE KEY-----") == std::string_view::npos) return 0;
  const std::size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return text.size();
  const std::size_t dashes = text.find("-----", end + kEnd.size());
  return dashes == std::string_view::npos ? text.size() : dashes + 5;
}

// The password of scheme://user:password@host, which may have an @ of its own.
Span UrlPassword(std::string_view text, std::size_t at) {
  if (!text.substr(at).starts_with("://")) return {at, at};
  const std::size_t begin = at + 3;
  const std::size_t end = std::min(text.find_first_of("/ \t\r\n\"'<>`\\", begin), text.size());
  const std::string_view authority = text.substr(begin, end - begin);
  const std::size_t last = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (last == std::string_view::npos || colon == std::string_view::npos || colon + 1 >= last) return {at, at};
  return {begin + colon + 1, begin + last};
}

// The value of ?key=… and its like.
Span QuerySecret(std::string_view text, std::size_t at) {
  static constexpr std::string_view kNames[] = {
      "key=",      "api_key=", "apikey=",          "api-key=",         "token=",
      "sig=",      "secret=",  "signature=",       "access_token=",    "auth=",
      "password=", "code=",    "x-amz-signature=", "x-goog-signature="};
  constexpr std::size_t kShortest = 8;
  const std::string_view rest = text.substr(at + 1);
  for (const std::string_view name : kNames) {
    if (!StartsWithIgnoringCase(rest, name)) continue;
    const std::string_view value = rest.substr(name.size());
    const std::size_t length = std::min(value.find_first_of("&# \t\r\n\"'<>`\\"), value.size());
    if (length >= kShortest) return {at + 1 + name.size(), at + 1 + name.size() + length};
  }
  return {at, at};
}

bool LooksLikeWord(std::string_view value) {
  return std::ranges::none_of(value, [](char c) { return c >= '0' && c <= '9'; });
}

Span ShapeAt(std::string_view text, std::size_t at, const Shape& shape) {
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with(shape.prefix)) return {at, at};
  const std::size_t length = RunLength(rest.substr(shape.prefix.size()), shape.belongs);
  return {at, length < shape.least ? at : at + shape.prefix.size() + length};
}

Span ValueAt(std::string_view text, std::size_t at, const SecretName& one) {
  constexpr std::size_t kMostSeparators = 8;
  constexpr std::size_t kShortestValue = 8;
  const std::string_view rest = text.substr(at);
  if (!StartsWithIgnoringCase(rest, one.name)) return {at, at};
  const std::string_view after = rest.substr(one.name.size());
  const std::size_t gap = std::min(after.find_first_not_of(" \t\"'\\:="), after.size());
  if (gap == 0 || gap > kMostSeparators) return {at, at};
  const std::string_view value = after.substr(gap, RunLength(after.substr(gap), IsTokenCharacter));
  if (value.size() < kShortestValue) return {at, at};
  const bool is_assigned = after.substr(0, gap).find_first_of(":=") != std::string_view::npos;
  if (one.assigned && (!is_assigned || LooksLikeWord(value))) return {at, at};
  const std::size_t begin = at + one.name.size() + gap;
  return {begin, begin + value.size()};
}

// The secret at `at`, which is the start of a word; empty when there is none.
Span SecretAt(std::string_view text, std::size_t at, const Candidates& candidates) {
  Span found{at, at};
  if (candidates.other) {
    const std::string_view rest = text.substr(at);
    if (const std::size_t length = TokenLength(rest); length > 0) return {at, at + length};
    if (const std::size_t length = PrivateKeyLength(rest); length > 0) return {at, at + length};
  }
  ForEachBit(candidates.shapes, [&](std::size_t i) {
    found = ShapeAt(text, at, kShapes[i]);
    return found.begin != found.end;
  });
  if (found.begin != found.end) return found;
  ForEachBit(candidates.names, [&](std::size_t i) {
    found = ValueAt(text, at, kSecretNames[i]);
    return found.begin != found.end;
  });
  return found;
}

std::vector<Span> RecognisedSecrets(std::string_view text) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const Candidates& candidates = CandidatesFor(c);
    if ((candidates.shapes | candidates.names) == 0 && !candidates.other) continue;
    Span span{i, i};
    if (c == ':') {
      span = UrlPassword(text, i);
    } else if (c == '?' || c == '&') {
      span = QuerySecret(text, i);
    } else if (i == 0 || !IsLetterOrDigit(text[i - 1])) {
      span = SecretAt(text, i, candidates);
    }
    if (span.begin == span.end) continue;
    spans.push_back(span);
    i = span.end - 1;
  }
  return spans;
}

std::string Replace(std::string_view text, std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::begin);
  std::string out;
  std::size_t done = 0;
  for (std::size_t i = 0; i < spans.size();) {
    Span whole = spans[i++];
    while (i < spans.size() && spans[i].begin <= whole.end) whole.end = std::max(whole.end, spans[i++].end);
    out.append(text.substr(done, whole.begin - done)).append(kReplacement);
    done = whole.end;
  }
  return out.append(text.substr(done));
}

}  // namespace

Redactor::Redactor() = default;
Redactor::~Redactor() = default;

void Redactor::AddSecret(std::string_view value) {
  if (value.size() < kShortestSecret) return;
  const MutexLock lock(mutex_);
  if (std::ranges::find(secrets_, value) != secrets_.end()) return;
  secrets_.emplace_back(value);
  automaton_ = std::make_shared<const Automaton>(secrets_);
}

std::shared_ptr<const Redactor::Automaton> Redactor::Known() const {
  const MutexLock lock(mutex_);
  return automaton_;
}

std::string Redactor::RedactKnown(std::string_view text) const {
  std::vector<Span> spans;
  if (const auto automaton = Known()) {
    automaton->Search(text, [&spans](std::size_t begin, std::size_t end) { spans.push_back({begin, end}); });
  }
  return spans.empty() ? std::string(text) : Replace(text, std::move(spans));
}

std::string Redactor::Redact(std::string_view text) const {
  const std::shared_ptr<const Automaton> automaton = Known();
  std::vector<Span> spans = RecognisedSecrets(text);
  if (automaton) {
    automaton->Search(text, [&spans](std::size_t begin, std::size_t end) { spans.push_back({begin, end}); });
  }
  return spans.empty() ? std::string(text) : Replace(text, std::move(spans));
}

Redactor& ProcessRedactor() {
  static Redactor redactor;
  return redactor;
}

}  // namespace agenttalk
