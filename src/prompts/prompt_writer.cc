#include "prompts/prompt_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "model/content/content.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "prompts/composer.h"

namespace agenttalk {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kTailReserve = 640;  // what usually follows an input: the contract
constexpr std::size_t kFewParts = 64;      // with more of them their room counts
constexpr std::size_t kMarkBytes = 16;

void AppendHex(std::string& out, std::span<const std::uint8_t> bytes) {
  std::array<char, 2 * sizeof(Digest::bytes)> digits{};
  char* end = digits.data();
  for (const std::uint8_t byte : bytes) {
    *end++ = kHexDigits[byte >> 4];
    *end++ = kHexDigits[byte & 0xF];
  }
  out.append(digits.data(), end);
}

}  // namespace

PromptWriter& PromptWriter::Line(std::string_view text) {
  text_.append(text);
  if (!text.ends_with('\n')) text_.push_back('\n');
  return *this;
}

PromptWriter& PromptWriter::Number(std::uint64_t value) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text_.append(digits.data(), end);
  return *this;
}

PromptWriter& PromptWriter::Hex(const Digest& digest) {
  AppendHex(text_, digest.bytes);
  return *this;
}

PromptWriter& PromptWriter::Quoted(std::string_view name) {
  const auto is_escaped = [](char c) {
    const auto byte = static_cast<std::uint8_t>(c);
    return c == '"' || c == '\\' || byte < 0x20 || byte == 0x7F;
  };
  text_.push_back('"');
  for (;;) {
    const auto plain = static_cast<std::size_t>(std::ranges::find_if(name, is_escaped) - name.begin());
    text_.append(name.substr(0, plain));
    if (plain == name.size()) break;
    const char c = name[plain];
    const auto byte = static_cast<std::uint8_t>(c);
    if (c == '"' || c == '\\') {
      text_.push_back('\\');
      text_.push_back(c);
    } else {
      text_.append("\\u00");
      AppendHex(text_, {&byte, 1});
    }
    name.remove_prefix(plain + 1);
  }
  text_.push_back('"');
  return *this;
}

PromptWriter& PromptWriter::FencedText(std::string_view text, std::string_view marker) {
  return Text("<<<").Text(marker).Text("\n").Line(text).Text(marker).Text(">>>\n");
}

PromptWriter& PromptWriter::Quotation(std::string_view text) {
  do {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Text("> ").Text(text.substr(0, end)).Text("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  } while (!text.empty());
  return *this;
}

PromptWriter& PromptWriter::Fenced(const Content& content, std::string_view name, std::string_view marker) {
  text_.append("<<<").append(marker).push_back('\n');
  size_ += text_.size() + content.size;
  if (parts_.size() >= kFewParts) text_.shrink_to_fit();
  parts_.push_back({std::move(text_), content, std::string(name)});
  text_ = std::string();
  text_.reserve(kTailReserve);
  text_.append("\n").append(marker).append(">>>\n");
  return *this;
}

void WriteNotes(PromptWriter& out, std::span<const PromptNote> notes, std::string_view fence) {
  for (const PromptNote& note : notes) {
    out.Text("\n").Text(note.label).Text(":\n").Fenced(note.text, note.label, fence);
  }
}

std::vector<StoredPart> PromptWriter::Take() {
  if (!text_.empty()) parts_.push_back({std::move(text_), {}, {}});
  return std::move(parts_);
}

CallMarks MarkCall(const HmacKey& secret, const Digest& content_key, const CallIds& ids) {
  std::string data;
  data.reserve(content_key.bytes.size() + ids.plan.str().size() + ids.command.str().size() + 16);
  data.append(reinterpret_cast<const char*>(content_key.bytes.data()), content_key.bytes.size());
  data.append(ids.plan.str()).push_back('\0');
  data.append(ids.command.str()).push_back('\0');
  for (unsigned shift = 0; shift < 32; shift += 8) data.push_back(static_cast<char>(ids.attempt >> shift));
  const Digest mac = secret.CodeOf(data);
  CallMarks marks;
  AppendHex(marks.fence, std::span(mac.bytes).first(kMarkBytes));
  AppendHex(marks.idempotency_key, std::span(mac.bytes).subspan(kMarkBytes));
  return marks;
}

}  // namespace agenttalk
