#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace agenttalk {

// Cuts bytes that arrive in pieces of any size into lines: LF, CRLF or a lone CR ends one, as in an event
// stream. Where the pieces were cut makes no difference. A line may span any number of pieces; one that is
// longer than the limit stops the splitter for good, so that memory is bounded whatever a server sends.
class LineSplitter {
 public:
  using Take = std::function<void(std::string_view line)>;  // without its end

  explicit LineSplitter(std::size_t longest) : longest_(longest) {}

  // False: a line is too long, and nothing more will be taken.
  [[nodiscard]] bool Feed(std::string_view bytes, const Take& take);
  // Hands over the last line, if it has no end.
  void Finish(const Take& take);

 private:
  const std::size_t longest_;
  std::string pending_;
  bool after_cr_ = false;  // an LF that comes next belongs to the line before
  bool stopped_ = false;
};

}  // namespace agenttalk
