#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "model/answer/agent_output.h"
#include "model/events/file_fingerprint.h"
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
  kGoal
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
  RiskLevel risk = RiskLevel::kLow;  // of letting it pass

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("kind", self.kind), f("purpose", self.purpose), f("text", self.text), f("from", self.from);
    f("command_id", self.command_id), f("deadline", self.deadline), f("call", self.call);
    f("task_id", self.task_id), f("matter", self.matter), f("risk", self.risk);
  }
};

enum class Decision : std::uint8_t { kNone, kApprove, kReject };

struct QuestionClosed {
  std::uint64_t question = 0;  // the QuestionAsked event's number
  Decision decision = Decision::kNone;
  std::string text;
  bool expired = false;
  std::optional<FileFingerprint> source;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("question", self.question), f("decision", self.decision), f("text", self.text);
    f("expired", self.expired), f("source", self.source);
  }
};

}  // namespace agenttalk
