#include "runtime/files/human_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/json.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/events/event.h"
#include "model/events/question_events.h"
#include "model/events/stage_events.h"
#include "runtime/core/core.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

Result<Decision> ReadDecision(const json::object& object) {
  const json::value* found = object.if_contains("decision");
  if (found == nullptr || found->is_null()) return Decision::kNone;
  if (found->is_string() && found->as_string() == "approve") return Decision::kApprove;
  if (found->is_string() && found->as_string() == "reject") return Decision::kReject;
  return Fail(ErrorCode::kValueInvalid, "decision is neither approve nor reject",
              "write one of the two, or leave it out");
}

// `content` holds text, `content_base64` any bytes.
Result<std::string> ReadContent(const json::object& file) {
  const json::value* text = file.if_contains("content");
  if (text != nullptr && text->is_string()) return std::string(text->as_string());
  const json::value* encoded = file.if_contains("content_base64");
  if (encoded == nullptr || !encoded->is_string()) {
    return Fail(ErrorCode::kTypeMismatch, "a file is not {\"name\": …, \"content\": …}",
                "bytes that are no text go into content_base64");
  }
  auto bytes = DecodeBase64(std::string_view(encoded->as_string()));
  if (!bytes) return Fail(ErrorCode::kValueInvalid, "content_base64 is not base64");
  return *std::move(bytes);
}

Result<void> ReadFiles(const json::object& object, QuestionAnswer& answer) {
  const json::value* found = object.if_contains("files");
  if (found == nullptr) return {};
  if (!found->is_array()) return Fail(ErrorCode::kTypeMismatch, "files is not a list");
  for (const json::value& file : found->as_array()) {
    const json::object* one = file.if_object();
    const json::value* name = one == nullptr ? nullptr : one->if_contains("name");
    if (name == nullptr || !name->is_string()) {
      return Fail(ErrorCode::kTypeMismatch, "a file is not {\"name\": …, \"content\": …}");
    }
    if (!IsInputName(std::string_view(name->as_string()))) {
      return Fail(ErrorCode::kNameUnsafe, "a file's name cannot be used",
                  "use letters, digits, dots, dashes");
    }
    answer.files.emplace_back(std::string(name->as_string()), Payload(TRY(ReadContent(*one))));
  }
  return {};
}

template <typename Has>
std::optional<PlanId> FindPlanWith(const HubState& state, const Has& has) {
  if (has(state.hub_plan)) return PlanId();
  for (const auto& [id, plan] : state.plans) {
    if (has(*plan)) return id;
  }
  return std::nullopt;
}

// Words alone decide nothing about these: whoever writes "yes" has to say approve.
bool NeedsDecision(const QuestionAsked& asked) {
  switch (asked.purpose) {
    case QuestionPurpose::kGate:
    case QuestionPurpose::kBudget:
    case QuestionPurpose::kHubBudget:
    case QuestionPurpose::kReplan:
    case QuestionPurpose::kOutcome:
    case QuestionPurpose::kToolCall:
      return true;
    case QuestionPurpose::kGoal:
      return asked.matter == GoalMatter::kResult ||
             (asked.matter == GoalMatter::kTool && asked.kind != QuestionKind::kClarify);
    case QuestionPurpose::kNotice:
    case QuestionPurpose::kTask:
    case QuestionPurpose::kAskHuman:
      break;
  }
  return false;
}

// An answer that says nothing would be taken for "no answer in time", and the work would fail for it.
Result<void> CheckAnswer(const QuestionAnswer& answer, const QuestionAsked& asked) {
  if (answer.decision != Decision::kNone) return {};
  const std::string name = QuestionName(answer.question);
  if (NeedsDecision(asked)) {
    return Fail(
        ErrorCode::kValueInvalid, fmt::format("{} asks for a decision, and the answer holds none", name),
        fmt::format("`agenttalk answer {0} --approve`, or `agenttalk answer {0} --reject \"REASON\"`; "
                    "in a file: \"decision\": \"approve\" or \"reject\"",
                    name));
  }
  const bool is_empty = answer.text.empty() && answer.files.empty();
  if (is_empty && asked.purpose != QuestionPurpose::kNotice) {
    return Fail(ErrorCode::kValueInvalid, fmt::format("the answer to {} is empty", name),
                fmt::format("e.g. `agenttalk answer {} \"TEXT\"`; see `agenttalk questions`", name));
  }
  return {};
}

std::string OpenQuestions(const HubState& state) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> names;
  const auto add = [&](const PlanState& plan) {
    for (const auto& [number, open] : plan.people.questions()) {
      if (names.size() < kMostNamed && open.asked.kind != QuestionKind::kAlert)
        names.push_back(QuestionName(number));
    }
  };
  add(state.hub_plan);
  for (const auto& [id, plan] : state.plans) add(*plan);
  return names.empty() ? "no question is open" : fmt::format("open: {}", fmt::join(names, ", "));
}

}  // namespace

std::optional<PlanId> PlanOfQuestion(const HubState& state, std::uint64_t question) {
  return FindPlanWith(state,
                      [&](const PlanState& plan) { return plan.people.FindQuestion(question) != nullptr; });
}

std::optional<PlanId> PlanOfLetter(const HubState& state, std::uint64_t letter) {
  return FindPlanWith(state,
                      [&](const PlanState& plan) { return plan.people.FindLetter(letter) != nullptr; });
}

Result<QuestionAnswer> ReadHumanAnswer(std::string_view text, Core& core) {
  const json::value value = TRY(ParseJson(text));
  const json::object* object = value.if_object();
  if (object == nullptr) return Fail(ErrorCode::kTypeMismatch, "an answer is a JSON object");
  const json::value* id = object->if_contains("id");
  const auto question =
      id != nullptr && id->is_string() ? ParseQuestionName(std::string_view(id->as_string())) : std::nullopt;
  if (!question)
    return Fail(ErrorCode::kQuestionUnknown, "id is not the id of a question", "see `agenttalk questions`");
  const auto plan = PlanOfQuestion(core.state(), *question);
  if (!plan) {
    return Fail(ErrorCode::kAnswerLate, fmt::format("{} is not an open question", QuestionName(*question)),
                fmt::format("it may have been answered already; {}", OpenQuestions(core.state())));
  }
  QuestionAnswer answer;
  answer.plan_id = *plan;
  answer.question = *question;
  answer.decision = TRY(ReadDecision(*object));
  if (const json::value* words = object->if_contains("text"); words != nullptr && words->is_string()) {
    answer.text = std::string(words->as_string());
  }
  TRY(ReadFiles(*object, answer));
  const PlanState& owner = plan->empty() ? core.state().hub_plan : *core.state().plans.at(*plan);
  TRY(CheckAnswer(answer, owner.people.FindQuestion(*question)->asked));
  return answer;
}

}  // namespace agenttalk
