#include "engine/people/exhibits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "base/text_diff.h"
#include "base/time.h"
#include "base/utf8.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostChanges = 20;
constexpr std::size_t kLongestLine = 160;
// Larger files are named, and people open them.
constexpr std::uint64_t kLargestShown = std::uint64_t{1} << 20;

// The text of a file; nothing: it is no text, or too large to be looked at here.
std::optional<std::string> TextOf(Turn& turn, const Content& content) {
  if (content.size > kLargestShown) return std::nullopt;
  auto bytes = turn.composer().Read(content);
  if (!bytes || !IsUtf8(*bytes) || bytes->find('\0') != std::string::npos) return std::nullopt;
  return *std::move(bytes);
}

std::string Shortened(std::string_view line) {
  const std::string_view kept = Utf8Prefix(line, kLongestLine);
  return std::string(kept) + (kept.size() < line.size() ? "…" : "");
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// One file of the question, and what is said about it.
class Showing {
 public:
  Showing(Turn& turn, const PlanState& plan, QuestionAsked& question)
      : turn_(turn),
        plan_(plan),
        question_(question),
        language_(turn.language()),
        folder_(fmt::format("human/inbox/q_{}/", turn.state().last_event + 1)) {}

  void Add(const NamedContent& file, const NamedContent* before) {
    question_.files.push_back(file);
    Line(Say(language_, Phrase::kFile, file.name, file.content.size, folder_ + file.name));
    const std::optional<std::string> text = TextOf(turn_, file.content);
    if (!text) {
      Line(Say(language_, Phrase::kNotText));
    } else {
      First(*text);
    }
    if (before != nullptr) Compare(file, text, *before);
  }

 private:
  void Line(const std::string& line) { question_.text += "\n" + line; }

  void First(const std::string& text) {
    const std::vector<std::string_view> lines = LinesOf(text);
    for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) Line("    " + Shortened(lines[i]));
    if (lines.size() > kMostLines) Line(Say(language_, Phrase::kMoreLines, lines.size() - kMostLines));
  }

  void Compare(const NamedContent& file, const std::optional<std::string>& text, const NamedContent& before) {
    question_.before.push_back(before);
    if (before.content.digest == file.content.digest) {
      Line(Say(language_, Phrase::kUnchanged));
      return;
    }
    const std::optional<std::string> old = TextOf(turn_, before.content);
    if (!text || !old) {
      Line(Say(language_, Phrase::kBeforeFile, file.name));
      return;
    }
    const TextDiff diff = DiffLines(*old, *text);
    const std::string name = file.name + ".diff";
    Line(Say(language_, Phrase::kChanges, diff.added, diff.removed, folder_ + name));
    for (std::size_t i = 0; i < diff.lines.size() && i < kMostChanges; ++i) {
      Line("    " + Shortened(diff.lines[i]));
    }
    if (diff.lines.size() > kMostChanges) {
      Line(Say(language_, Phrase::kMoreLines, diff.lines.size() - kMostChanges));
    }
    question_.files.push_back({name, turn_.Store(plan_, fmt::format("{}\n", fmt::join(diff.lines, "\n")))});
  }

  Turn& turn_;
  const PlanState& plan_;
  QuestionAsked& question_;
  const Language language_;
  const std::string folder_;
};

}  // namespace

void Exhibit(Turn& turn, const PlanState& plan, const std::vector<NamedContent>& files,
             const std::vector<NamedContent>& before, QuestionAsked& question) {
  Showing showing(turn, plan, question);
  for (const NamedContent& file : files) {
    const auto old = std::ranges::find(before, file.name, &NamedContent::name);
    showing.Add(file, old == before.end() ? nullptr : &*old);
  }
}

void ExplainChoices(Turn& turn, QuestionAsked& question) {
  const Language language = turn.language();
  for (const QuestionChoice& choice : question.choices) {
    std::string line;
    if (choice.word == "approve") {
      line = Say(language, Phrase::kApproveLeadsTo, choice.leads_to);
    } else if (choice.word == "reject") {
      line = Say(language, Phrase::kRejectLeadsTo, choice.leads_to);
    } else if (choice.word == "text") {
      line = Say(language, Phrase::kTextLeadsTo, choice.leads_to);
    } else {
      line = choice.leads_to.empty() ? fmt::format("- {}", choice.word)
                                     : fmt::format("- {} {}", choice.word, choice.leads_to);
    }
    question.text += "\n" + line;
  }
}

}  // namespace agenttalk
