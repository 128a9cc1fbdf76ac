#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/surrogates.h"
#include "base/utf8.h"
#include "llm/answer_draft.h"
#include "llm/line_splitter.h"
#include "llm/model_errors.h"
#include "llm/sse_parser.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

// Room for what stands around the text: quotes, escapes, names.
constexpr std::size_t kOverhead = 4;
constexpr std::size_t kSlack = 64 * 1024;
constexpr std::size_t kShownOfPiece = 80;

std::size_t RawLimit(std::size_t max_answer_bytes) {
  return max_answer_bytes * kOverhead + kSlack;
}

std::string Shown(std::string_view text) {
  return WithoutControls(ToValidUtf8(Utf8Prefix(text, kShownOfPiece)));
}

}  // namespace

class AnswerReader::Body {
 public:
  Body(const WireFormat& format, AnswerDraft& draft) : format_(format), draft_(draft) {}
  virtual ~Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  virtual void Feed(std::string_view bytes) = 0;
  virtual void Finish() = 0;

 protected:
  // A last piece that is cut off is no broken answer but a broken connection.
  void TakePiece(std::string_view event, std::string_view text, bool may_be_cut = false) {
    if (draft_.failed()) return;
    const auto value = ParsePieceJson(text, {.max_bytes = text.size()});
    if (!value || !value->is_object()) {
      if (may_be_cut) return;
      draft_.Fail(
          BadResponse(fmt::format("a piece of the answer is not a JSON object: {}", Shown(text)), true));
      return;
    }
    format_.ReadPiece(event, value->get_object(), draft_);
  }

  const WireFormat& format_;
  AnswerDraft& draft_;
};

class AnswerReader::WholeBody final : public Body {
 public:
  WholeBody(const WireFormat& format, AnswerDraft& draft, std::size_t max_bytes)
      : Body(format, draft), max_bytes_(max_bytes) {}

  void Feed(std::string_view bytes) override {
    if (draft_.failed()) return;
    if (text_.size() + bytes.size() > RawLimit(max_bytes_)) {
      draft_.Fail(TooLarge(max_bytes_));
      text_.clear();
      return;
    }
    text_ += bytes;
  }

  void Finish() override {
    if (draft_.failed()) return;
    const auto value = ParsePieceJson(text_, {.max_bytes = text_.size()});
    if (value && value->is_object()) {
      format_.ReadWhole(value->get_object(), draft_);
      return;
    }
    if (text_.starts_with('<')) {
      draft_.Fail(BadResponse("the server sent a web page instead of JSON; check base_url"));
    } else {
      draft_.Fail(BadResponse(fmt::format("the answer is not a JSON object: {}", Shown(text_)), true));
    }
  }

 private:
  const std::size_t max_bytes_;
  std::string text_;
};

class AnswerReader::SseBody final : public Body {
 public:
  SseBody(const WireFormat& format, AnswerDraft& draft, std::size_t max_bytes)
      : Body(format, draft), events_(RawLimit(max_bytes)), max_bytes_(max_bytes) {}

  void Feed(std::string_view bytes) override {
    if (draft_.failed()) return;
    Read(bytes, false);
  }

  // Servers are seen that leave out the blank line after the last event.
  void Finish() override {
    if (!draft_.failed()) Read("\n\n", true);
  }

 private:
  void Read(std::string_view bytes, bool may_be_cut) {
    const bool fits = events_.Feed(bytes, [&](const SseEvent& event) {
      if (event.data == "[DONE]") {
        draft_.End();
      } else {
        TakePiece(event.name, event.data, may_be_cut);
      }
    });
    if (!fits) draft_.Fail(TooLarge(max_bytes_));
  }

  SseParser events_;
  const std::size_t max_bytes_;
};

class AnswerReader::LinesBody final : public Body {
 public:
  LinesBody(const WireFormat& format, AnswerDraft& draft, std::size_t max_bytes)
      : Body(format, draft), lines_(RawLimit(max_bytes)), max_bytes_(max_bytes) {}

  void Feed(std::string_view bytes) override {
    if (draft_.failed()) return;
    const bool fits = lines_.Feed(bytes, [this](std::string_view line) { TakeLine(line); });
    if (!fits) draft_.Fail(TooLarge(max_bytes_));
  }

  void Finish() override {
    lines_.Finish([this](std::string_view line) { TakePiece({}, line, true); });
  }

 private:
  void TakeLine(std::string_view line) {
    if (!IsBlank(line)) TakePiece({}, line);
  }

  LineSplitter lines_;
  const std::size_t max_bytes_;
};

AnswerReader::AnswerReader(const WireFormat& format, std::size_t max_answer_bytes)
    : format_(format), max_bytes_(max_answer_bytes), draft_(max_answer_bytes) {}

AnswerReader::~AnswerReader() = default;

void AnswerReader::ChooseBody(char first) {
  if (first == '<' || (first == '{' && !format_.StreamsLines())) {
    body_ = std::make_unique<WholeBody>(format_, draft_, max_bytes_);
    return;
  }
  streams_ = true;
  if (format_.StreamsLines()) {
    body_ = std::make_unique<LinesBody>(format_, draft_, max_bytes_);
  } else {
    body_ = std::make_unique<SseBody>(format_, draft_, max_bytes_);
  }
}

void AnswerReader::Feed(std::string_view bytes) {
  if (body_ == nullptr) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return;
    bytes.remove_prefix(first);
    ChooseBody(bytes.front());
  }
  body_->Feed(bytes);
}

ModelOutcome AnswerReader::Finish() {
  if (body_ != nullptr) body_->Finish();
  return draft_.Finish();
}

}  // namespace agenttalk
