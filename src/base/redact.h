#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace agenttalk {

// Replaces secrets in texts that leave the process: logs, journal, prompts, error messages. It knows the key
// values it was told of, and recognises what looks like one: `sk-…`, `Bearer …`, the values of headers and
// settings such as `x-api-key`, and AWS access keys. Time is linear in the text, whatever the text and
// however many secrets; adding is rare, redacting is constant, so the search automaton is rebuilt when one is
// added. Safe to use from several threads.
class Redactor {
 public:
  Redactor();
  ~Redactor();
  Redactor(const Redactor&) = delete;
  Redactor& operator=(const Redactor&) = delete;

  // Values shorter than 6 characters are not taken: they would redact ordinary words.
  void AddSecret(std::string_view value);
  [[nodiscard]] std::string Redact(std::string_view text) const;
  // Only the values it was told of: for texts whose every other word counts, such as prompts and answers.
  [[nodiscard]] std::string RedactKnown(std::string_view text) const;
  [[nodiscard]] bool KnowsSecrets() const { return Known() != nullptr; }

 private:
  class Automaton;

  [[nodiscard]] std::shared_ptr<const Automaton> Known() const;

  mutable Mutex mutex_;
  std::vector<std::string> secrets_ GUARDED_BY(mutex_);
  std::shared_ptr<const Automaton> automaton_ GUARDED_BY(mutex_);  // itself it never changes
};

// The redactor of this process. A key that was read once must be unspeakable everywhere, also in code that
// was never handed a redactor; hence one instance for all.
Redactor& ProcessRedactor();

inline std::string Redact(std::string_view text) {
  return ProcessRedactor().Redact(text);
}

}  // namespace agenttalk
