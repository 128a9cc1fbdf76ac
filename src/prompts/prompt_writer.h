#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "model/content/content.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "prompts/composer.h"

namespace agenttalk {

// Gathers the parts of one message. Appends to a reserved string, because a prompt is composed for every step
// that the engine takes and must cost next to nothing.
class PromptWriter {
 public:
  explicit PromptWriter(std::size_t expected_size) { text_.reserve(expected_size); }

  // So many contents are going to be fenced.
  void ExpectFenced(std::size_t count) { parts_.reserve(count + 1); }

  PromptWriter& Text(std::string_view text) {
    text_.append(text);
    return *this;
  }
  // Ends the line unless it has ended already.
  PromptWriter& Line(std::string_view text);
  PromptWriter& Number(std::uint64_t value);
  PromptWriter& Hex(const Digest& digest);
  // In double quotes, with quotes, backslashes and control characters escaped as in JSON: a name can neither
  // end its own quotes nor begin a line.
  PromptWriter& Quoted(std::string_view name);
  // A short text between two lines with the marker.
  PromptWriter& FencedText(std::string_view text, std::string_view marker);
  // Every line of a person's words, set off by "> ".
  PromptWriter& Quotation(std::string_view text);
  // All the bytes of `content`, between two lines with the marker.
  PromptWriter& Fenced(const Content& content, std::string_view name, std::string_view marker);

  [[nodiscard]] std::uint64_t size() const { return size_ + text_.size(); }
  std::vector<StoredPart> Take();

 private:
  std::string text_;
  std::vector<StoredPart> parts_;
  std::uint64_t size_ = 0;  // of the parts
};

// Each note under its label, fenced.
void WriteNotes(PromptWriter& out, std::span<const PromptNote> notes, std::string_view fence);

// What identifies one call, derived from its content and the hub's secret.
struct CallMarks {
  std::string fence;            // the marker around data
  std::string idempotency_key;  // says nothing about the fence
};

CallMarks MarkCall(const HmacKey& secret, const Digest& content_key, const CallIds& ids);

}  // namespace agenttalk
