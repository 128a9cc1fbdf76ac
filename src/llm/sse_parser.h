#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "llm/line_splitter.h"

namespace agenttalk {

struct SseEvent {
  std::string name;  // "message" when the stream gives none
  std::string data;  // the data lines, joined by line feeds

  bool operator==(const SseEvent&) const = default;
};

// Reads a stream of server-sent events (WHATWG HTML, "event stream interpretation"): CR, LF and CRLF end
// lines, lines that start with a colon are comments, a byte order mark at the start is skipped, an event
// without data is none. Ids and retry times are only remembered. An event that the stream ends in the middle
// of is not given.
class SseParser {
 public:
  using Take = std::function<void(SseEvent)>;

  // `largest` bounds one event.
  explicit SseParser(std::size_t largest) : lines_(largest), largest_(largest) {}

  // False: an event is too large, and nothing more will be taken.
  [[nodiscard]] bool Feed(std::string_view bytes, const Take& take);

  // Where a stream that broke off can be continued; empty: the server gave no id.
  [[nodiscard]] const std::string& last_id() const { return last_id_; }
  // How long the server wants one to wait before that.
  [[nodiscard]] std::optional<Duration> retry() const { return retry_; }

 private:
  void TakeLine(std::string_view line, const Take& take);
  void TakeField(std::string_view name, std::string_view value);
  void TakeRetry(std::string_view value);

  LineSplitter lines_;
  const std::size_t largest_;
  SseEvent event_;
  std::string last_id_;
  std::optional<Duration> retry_;
  bool has_data_ = false;
  bool at_start_ = true;
  bool stopped_ = false;
};

}  // namespace agenttalk
