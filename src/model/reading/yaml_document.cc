#include "model/reading/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "base/utf8.h"
#include "model/reading/yaml_message.h"
#include "model/reading/yaml_scalar.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kAliasAllowance = std::size_t{1} << 20;

// One value in document order: the line it is on (of its key, if it has one), and how many values its
// subtree has, itself included, so that a walk can step over it.
struct LineMark {
  std::uint32_t line = 0;
  std::uint32_t subtree = 1;
};

// Thrown through yaml-cpp, caught in ParseYaml; the line is in the issue.
struct Refusal {
  Issue issue;
};

[[noreturn]] void Refuse(ErrorCode code, const YAML::Mark& mark, std::string_view what,
                         std::string hint = {}) {
  throw Refusal{Issue{.code = code,
                      .path = "",
                      .message = fmt::format("line {}, column {}: {}", mark.line + 1, mark.column + 1, what),
                      .hint = std::move(hint),
                      .line = mark.line + 1}};
}

// What an alias stands for: a copy of the value, its line marks, its depth and what a copy costs.
struct Anchor {
  json::value value;
  std::vector<LineMark> marks;
  std::size_t depth = 0;
  std::size_t weight = 0;
};

class DocumentBuilder : public YAML::EventHandler {
 public:
  DocumentBuilder(const YamlLimits& limits, std::size_t text_size)
      : limits_(limits), max_expanded_(kAliasAllowance + text_size) {}

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { Scalar(mark, "?", anchor, ""); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    Scalar(mark, tag, anchor, text);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    CheckContainerTag(mark, tag, "tag:yaml.org,2002:seq");
    Open(mark, anchor, json::value(json::array()));
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    CheckContainerTag(mark, tag, "tag:yaml.org,2002:map");
    Open(mark, anchor, json::value(json::object()));
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapEnd() override { Close(); }

  json::value TakeRoot() { return std::move(root_); }
  std::vector<LineMark> TakeMarks() { return std::move(marks_); }

 private:
  struct Frame {
    json::value value;
    std::optional<std::string> key;  // of the member that comes next (maps)
    std::size_t mark = 0;            // index in marks_
    YAML::Mark start;
    YAML::anchor_t anchor = 0;
    std::size_t depth = 1;   // of the subtree so far
    std::size_t weight = 1;  // values and bytes of scalars of the subtree so far
  };

  static void CheckContainerTag(const YAML::Mark& mark, const std::string& tag, std::string_view allowed) {
    if (!tag.empty() && tag != "?" && tag != "!" && tag != allowed) {
      Refuse(ErrorCode::kYamlInvalid, mark, fmt::format("the tag {} is not supported", tag));
    }
  }

  [[nodiscard]] bool ExpectsKey() const {
    return !stack_.empty() && stack_.back().value.is_object() && !stack_.back().key;
  }

  std::size_t AddMark(const YAML::Mark& mark);
  void TakeKey(const YAML::Mark& mark, const std::string& text);
  void Scalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& text);
  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, json::value container);
  void Close();
  void Charge(const YAML::Mark& mark, std::size_t weight);
  void Add(json::value value, std::size_t depth, std::size_t weight);

  YamlLimits limits_;
  std::size_t max_expanded_;
  json::value root_;
  std::vector<LineMark> marks_;
  std::vector<Frame> stack_;
  std::unordered_map<YAML::anchor_t, Anchor> anchors_;
  std::size_t expanded_ = 0;
  std::uint32_t key_line_ = 0;
};

std::size_t DocumentBuilder::AddMark(const YAML::Mark& mark) {
  const bool is_member = !stack_.empty() && stack_.back().value.is_object();
  marks_.push_back({.line = is_member ? key_line_ : static_cast<std::uint32_t>(mark.line + 1)});
  return marks_.size() - 1;
}

void DocumentBuilder::TakeKey(const YAML::Mark& mark, const std::string& text) {
  if (text == "<<") {
    Refuse(ErrorCode::kYamlInvalid, mark, "merge keys (<<) are not supported", "write the fields out");
  }
  if (stack_.back().value.get_object().contains(text)) {
    Refuse(ErrorCode::kYamlInvalid, mark, fmt::format("the key \"{}\" is given twice", text),
           "keep one of them");
  }
  stack_.back().key = text;
  key_line_ = static_cast<std::uint32_t>(mark.line + 1);
}

void DocumentBuilder::Scalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             const std::string& text) {
  if (ExpectsKey()) return TakeKey(mark, text);
  auto value = YamlScalarValue(tag, text);
  if (!value) {
    Refuse(ErrorCode::kYamlInvalid, mark, fmt::format("the tag {} does not fit this value", tag));
  }
  AddMark(mark);
  const std::size_t weight = 1 + text.size();
  if (anchor != 0) {
    Charge(mark, weight);
    anchors_[anchor] = Anchor{.value = *value, .marks = {marks_.back()}, .depth = 0, .weight = weight};
  }
  Add(std::move(*value), 0, weight);
}

// Anchors and aliases make copies; what they add stays in proportion to the text.
void DocumentBuilder::Charge(const YAML::Mark& mark, std::size_t weight) {
  expanded_ += weight;
  if (expanded_ <= max_expanded_) return;
  Refuse(ErrorCode::kTooLarge, mark, fmt::format("aliases expand to more than {} bytes", max_expanded_));
}

void DocumentBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (ExpectsKey()) Refuse(ErrorCode::kYamlInvalid, mark, "an alias cannot be a key");
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) Refuse(ErrorCode::kYamlInvalid, mark, "an alias inside its own anchor");
  const Anchor& target = found->second;
  Charge(mark, target.weight);
  if (stack_.size() + target.depth > limits_.max_depth) {
    Refuse(ErrorCode::kJsonTooDeep, mark, fmt::format("nested deeper than {} levels", limits_.max_depth));
  }
  const std::size_t first = AddMark(mark);
  marks_[first].subtree = target.marks.front().subtree;
  marks_.insert(marks_.end(), target.marks.begin() + 1, target.marks.end());
  Add(target.value, target.depth, target.weight);
}

void DocumentBuilder::Open(const YAML::Mark& mark, YAML::anchor_t anchor, json::value container) {
  if (ExpectsKey()) Refuse(ErrorCode::kYamlInvalid, mark, "a key must be a plain text");
  if (stack_.size() >= limits_.max_depth) {
    Refuse(ErrorCode::kJsonTooDeep, mark, fmt::format("nested deeper than {} levels", limits_.max_depth));
  }
  const std::size_t index = AddMark(mark);
  stack_.push_back(
      {.value = std::move(container), .key = {}, .mark = index, .start = mark, .anchor = anchor});
}

void DocumentBuilder::Close() {
  Frame frame = std::move(stack_.back());
  stack_.pop_back();
  marks_[frame.mark].subtree = static_cast<std::uint32_t>(marks_.size() - frame.mark);
  if (frame.anchor != 0) {
    Charge(frame.start, frame.weight);
    anchors_[frame.anchor] =
        Anchor{.value = frame.value,
               .marks = {marks_.begin() + static_cast<std::ptrdiff_t>(frame.mark), marks_.end()},
               .depth = frame.depth,
               .weight = frame.weight};
  }
  Add(std::move(frame.value), frame.depth, frame.weight);
}

void DocumentBuilder::Add(json::value value, std::size_t depth, std::size_t weight) {
  if (stack_.empty()) {
    root_ = std::move(value);
    return;
  }
  Frame& parent = stack_.back();
  parent.depth = std::max(parent.depth, depth + 1);
  parent.weight += weight;
  if (parent.value.is_array()) {
    parent.value.get_array().push_back(std::move(value));
    return;
  }
  parent.weight += parent.key->size();
  parent.value.get_object().emplace(*parent.key, std::move(value));
  parent.key.reset();
}

Issue RefusedText(ErrorCode code, std::string message, std::string hint = {}, int line = 0) {
  return {.code = code, .path = "", .message = std::move(message), .hint = std::move(hint), .line = line};
}

std::optional<Issue> CheckText(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return RefusedText(ErrorCode::kTooLarge,
                       fmt::format("{} bytes; at most {} are read", text.size(), limits.max_bytes));
  }
  // yaml-cpp would guess another encoding or put U+FFFD in place of what is wrong.
  if (!IsUtf8(text)) return RefusedText(ErrorCode::kYamlInvalid, "not UTF-8", "save the file as UTF-8");
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  };
  const auto bad = std::ranges::find_if(text, is_control);
  if (bad != text.end()) {
    const auto line = std::count(text.begin(), bad, '\n') + 1;
    return RefusedText(ErrorCode::kYamlInvalid, fmt::format("line {}: a control character", line),
                       "write it as an escape in double quotes, e.g. \"\\x07\"", static_cast<int>(line));
  }
  return std::nullopt;
}

// The tokens of a JSON Pointer, unescaped.
std::vector<std::string> PointerTokens(std::string_view pointer) {
  std::vector<std::string> tokens;
  for (const char c : pointer) {
    if (c == '/') {
      tokens.emplace_back();
    } else if (!tokens.empty()) {
      tokens.back().push_back(c);
    }
  }
  for (std::string& token : tokens) {
    for (std::size_t at = 0; (at = token.find('~', at)) != std::string::npos; ++at) {
      if (token.compare(at, 2, "~1") == 0) token.replace(at, 2, "/");
      if (token.compare(at, 2, "~0") == 0) token.replace(at, 2, "~");
    }
  }
  return tokens;
}

// The position of the child that the token names, counted from 0.
std::optional<std::size_t> ChildIndex(const json::value& value, const std::string& token) {
  if (const json::object* object = value.if_object()) {
    const auto found = object->find(token);
    if (found == object->end()) return std::nullopt;
    return static_cast<std::size_t>(found - object->begin());
  }
  const json::array* array = value.if_array();
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool is_index = error == std::errc() && end == token.data() + token.size();
  if (array == nullptr || !is_index || index >= array->size()) return std::nullopt;
  return index;
}

// Walks value and marks together. Remembers where the children of each container begin, so that many issues
// in one long list cost no more than the list.
class LineFinder {
 public:
  LineFinder(const json::value& root, const std::vector<LineMark>& marks) : root_(root), marks_(marks) {}

  int Find(std::string_view pointer) {
    const json::value* value = &root_;
    std::size_t mark = 0;
    for (const std::string& token : PointerTokens(pointer)) {
      const auto index = ChildIndex(*value, token);
      if (!index) break;
      mark = ChildMarks(mark)[*index];
      value = value->is_array()
                  ? &value->get_array()[*index]
                  : &(value->get_object().begin() + static_cast<std::ptrdiff_t>(*index))->value();
    }
    return mark < marks_.size() ? static_cast<int>(marks_[mark].line) : 0;
  }

 private:
  const std::vector<std::size_t>& ChildMarks(std::size_t parent) {
    auto [found, is_new] = children_.try_emplace(parent);
    if (is_new) {
      const std::size_t end = parent + marks_[parent].subtree;
      for (std::size_t at = parent + 1; at < end; at += marks_[at].subtree) found->second.push_back(at);
    }
    return found->second;
  }

  const json::value& root_;
  const std::vector<LineMark>& marks_;
  std::unordered_map<std::size_t, std::vector<std::size_t>> children_;
};

}  // namespace

struct YamlDocument::Contents {
  json::value root;
  std::vector<LineMark> marks;  // in document order, one for each value of root
};

YamlDocument::YamlDocument(std::unique_ptr<const Contents> contents) : contents_(std::move(contents)) {}
YamlDocument::~YamlDocument() = default;
YamlDocument::YamlDocument(YamlDocument&&) noexcept = default;
YamlDocument& YamlDocument::operator=(YamlDocument&&) noexcept = default;

const json::value& YamlDocument::root() const {
  return contents_->root;
}

int YamlDocument::LineOf(std::string_view pointer) const {
  return LineFinder(contents_->root, contents_->marks).Find(pointer);
}

void YamlDocument::AddLines(Issues& issues) const {
  LineFinder finder(contents_->root, contents_->marks);
  for (auto* list : {&issues.errors, &issues.warnings}) {
    for (Issue& issue : *list) {
      if (issue.line == 0) issue.line = finder.Find(issue.path);
    }
  }
}

std::expected<YamlDocument, Issue> ParseYaml(std::string_view text, const YamlLimits& limits) {
  if (auto issue = CheckText(text, limits)) return std::unexpected(std::move(*issue));
  try {
    // The end marker lets yaml-cpp see a quote that was never closed; alone, it takes the end of the text for
    // one.
    std::istringstream stream{std::string(text) + (text.ends_with('\n') ? "...\n" : "")};
    YAML::Parser parser(stream);
    DocumentBuilder builder(limits, text.size());
    parser.HandleNextDocument(builder);
    auto contents = std::make_unique<YamlDocument::Contents>();
    contents->root = builder.TakeRoot();
    contents->marks = builder.TakeMarks();
    DocumentBuilder second(limits, text.size());
    if (parser.HandleNextDocument(second)) {
      return std::unexpected(RefusedText(ErrorCode::kYamlInvalid, "more than one document in the text",
                                         "remove the second --- and everything after it"));
    }
    return YamlDocument(std::move(contents));
  } catch (const Refusal& refusal) {
    return std::unexpected(refusal.issue);
  } catch (const YAML::Exception& e) {
    const int line = e.mark.is_null() ? 0 : e.mark.line + 1;
    return std::unexpected(ExplainYamlError(text, line, e.mark.column + 1, e.msg));
  }
}

}  // namespace agenttalk
