#include "runtime/files/agent_logs.h"

#include <string_view>
#include <variant>

#include "model/events/event.h"

namespace agenttalk {

std::string_view AgentLogOf(const EventBody& body) {
  struct Choice {
    std::string_view operator()(const ModelCallIntended&) const { return "llm_calls"; }
    std::string_view operator()(const ModelCallFinished&) const { return "llm_calls"; }
    std::string_view operator()(const AnswerRefused&) const { return "error"; }
    std::string_view operator()(const AttemptFailed&) const { return "error"; }
    std::string_view operator()(const DeadLettered&) const { return "error"; }
    std::string_view operator()(const CommandEnded&) const { return "error"; }
    std::string_view operator()(const MessageSent&) const { return "decision"; }
    std::string_view operator()(const CommandSucceeded&) const { return "decision"; }
    std::string_view operator()(const CommandReceived&) const { return "activity"; }
    std::string_view operator()(const CommandRepeated&) const { return "activity"; }
    std::string_view operator()(const InputArrived&) const { return "activity"; }
    std::string_view operator()(const OutputFound&) const { return "activity"; }
    std::string_view operator()(const AttemptStarted&) const { return "activity"; }
    std::string_view operator()(const ToolCallIntended&) const { return "activity"; }
    std::string_view operator()(const ToolCallFinished&) const { return "activity"; }
    std::string_view operator()(const TaskCompleted&) const { return "decision"; }
    std::string_view operator()(const TaskChanged&) const { return "decision"; }
    std::string_view operator()(const StrategyChosen&) const { return "decision"; }
    std::string_view operator()(const InternalPlanMade&) const { return "decision"; }
    std::string_view operator()(const StatusReported&) const { return "decision"; }
    std::string_view operator()(const StepStarted&) const { return "activity"; }
    std::string_view operator()(const StepFinished&) const { return "activity"; }
    std::string_view operator()(const CollaborationRequested&) const { return "activity"; }
    std::string_view operator()(const CollaborationAnswered&) const { return "activity"; }
    std::string_view operator()(const ThinkingApplied&) const { return "decision"; }
    std::string_view operator()(const ThinkingRefused&) const { return "error"; }
    std::string_view operator()(const MemoryWritten&) const { return "activity"; }
    std::string_view operator()(const MemoryCleared&) const { return "activity"; }
    std::string_view operator()(const StageStarted&) const { return "activity"; }
    std::string_view operator()(const StageFinished&) const { return "decision"; }
    std::string_view operator()(const GoalSet&) const { return {}; }
    std::string_view operator()(const RouteTaken&) const { return {}; }
    std::string_view operator()(const RouteOverruled&) const { return {}; }
    std::string_view operator()(const WorkReviewed&) const { return {}; }
    std::string_view operator()(const TasksMatched&) const { return {}; }
    std::string_view operator()(const PhaseChanged&) const { return {}; }
    std::string_view operator()(const GoalNoted&) const { return {}; }
    std::string_view operator()(const RemarkMade&) const { return {}; }
    std::string_view operator()(const RemarkSettled&) const { return {}; }
    std::string_view operator()(const ResultShared&) const { return {}; }
    std::string_view operator()(const CallRestarted&) const { return "activity"; }
    std::string_view operator()(const ToolCallHeld&) const { return "decision"; }
    std::string_view operator()(const NumberTaken&) const { return "activity"; }
    std::string_view operator()(const TasksReset&) const { return {}; }
    std::string_view operator()(const DagAdopted&) const { return {}; }
    std::string_view operator()(const PlanForked&) const { return {}; }
    std::string_view operator()(const NodeStarted&) const { return {}; }
    std::string_view operator()(const MirrorSynced&) const { return {}; }
    std::string_view operator()(const ClockJumped&) const { return {}; }
    std::string_view operator()(const PlanRemoved&) const { return {}; }
    std::string_view operator()(const PlanImported&) const { return {}; }
    std::string_view operator()(const HubConfigured&) const { return {}; }
    std::string_view operator()(const AgentConfigured&) const { return {}; }
    std::string_view operator()(const AgentRemoved&) const { return {}; }
    std::string_view operator()(const CommandReadied&) const { return {}; }
    std::string_view operator()(const CommandRequeued&) const { return {}; }
    std::string_view operator()(const DeadLetterClosed&) const { return {}; }
    std::string_view operator()(const QuestionAsked&) const { return {}; }
    std::string_view operator()(const QuestionClosed&) const { return {}; }
    std::string_view operator()(const BudgetRaised&) const { return {}; }
    std::string_view operator()(const SpendingSettled&) const { return {}; }
    std::string_view operator()(const PlanChanged&) const { return {}; }
    std::string_view operator()(const ControlAccepted&) const { return {}; }
    std::string_view operator()(const PlanFileKept&) const { return {}; }
    std::string_view operator()(const PlanTagged&) const { return {}; }
  };
  return std::visit(Choice{}, body);
}

}  // namespace agenttalk
