#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/answer/agent_output.h"
#include "model/content/file_fingerprint.h"
#include "model/content/named_content.h"
#include "model/events/stage_events.h"

// What people are asked, and what they decide.
namespace agenttalk {

enum class QuestionKind : std::uint8_t {
  kAsk,
  kApprove,
  kConfirm,
  kClarify,
  kMissingInput,
  kOutcomeUnknown,
  kAlert
};

// What an answer decides.
enum class QuestionPurpose : std::uint8_t {
  kNotice,
  kBudget,
  kOutcome,
  kGate,
  kReplan,
  kTask,
  kHubBudget,
  kAskHuman,
  kGoal,
  kToolCall
};

// What one of a person's choices leads to. `word` is approve or reject, or a text to answer with.
struct QuestionChoice {
  std::string word;
  std::string leads_to;

  bool operator==(const QuestionChoice&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("word", self.word), f("leads_to", self.leads_to);
  }
};

// Its id is "q_" + the event's number.
struct QuestionAsked {
  QuestionKind kind = QuestionKind::kAsk;
  QuestionPurpose purpose = QuestionPurpose::kNotice;
  std::string text;
  AgentId from;
  CommandId command_id;
  Timestamp deadline;
  std::uint32_t call = 0;
  TaskId task_id;  // what a gate or a request to replan is about
  GoalMatter matter = GoalMatter::kNone;
  RiskLevel risk = RiskLevel::kLow;          // of letting it pass
  std::vector<NamedContent> files = {};      // what is to be judged; shown in human/inbox/<id>/
  std::vector<NamedContent> before = {};     // the last version of them, where there is one
  std::vector<QuestionChoice> choices = {};  // none: old, or a notice
  std::uint64_t about = 0;                   // of an alert: the dead letter, with which it closes

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("kind", self.kind), f("purpose", self.purpose), f("text", self.text), f("from", self.from);
    f("command_id", self.command_id), f("deadline", self.deadline), f("call", self.call);
    f("task_id", self.task_id), f("matter", self.matter), f("risk", self.risk);
    f("files", self.files), f("before", self.before), f("choices", self.choices);
    f("about", self.about);
  }
};

enum class Decision : std::uint8_t { kNone, kApprove, kReject };

struct QuestionClosed {
  std::uint64_t question = 0;  // the QuestionAsked event's number
  Decision decision = Decision::kNone;
  std::string text;
  bool expired = false;
  std::optional<FileFingerprint> source;
  std::vector<std::string> files = {};  // that lay in human/inbox/<id>/

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("question", self.question), f("decision", self.decision), f("text", self.text);
    f("expired", self.expired), f("source", self.source), f("files", self.files);
  }
};

}  // namespace agenttalk
