#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/request/stage.h"

// For stage_samples_test.cc: a right answer of each stage, and its fields with what each may hold.
namespace agenttalk {

enum class SampleKind : std::uint8_t {
  kText,
  kString,
  kBoolean,
  kUnit,
  kConfidence,
  kScore,
  kDuration,
  kChoice,
  kStrings,
  kTexts,
  kNames,
  kName,
  kObject,
  kObjects,
  kAny
};

struct SampleField {
  std::string_view pointer;
  SampleKind kind;
  bool required = true;
  std::vector<std::string_view> choices = {};
  std::string_view missing = "FIELD_MISSING";
};

struct SampleBase {
  Stage stage;
  std::string_view name;
  std::string_view params;
  std::string_view action;
  double confidence;
  std::vector<SampleField> fields;
};

inline const std::vector<SampleField>& CommonFields() {
  static const std::vector<SampleField> fields = {
      {"/thought", SampleKind::kText},
      {"/expectedOutcome", SampleKind::kText},
      {"/risk", SampleKind::kObject},
      {"/risk/level", SampleKind::kChoice, true, {"low", "medium", "high"}},
      {"/risk/description", SampleKind::kText},
      {"/risk/mitigation", SampleKind::kString, false},
      {"/confidence", SampleKind::kConfidence},
      {"/alternativeActions", SampleKind::kStrings, false},
      {"/requiresUserConfirmation", SampleKind::kBoolean, false},
      {"/userMessage", SampleKind::kString, false},
      {"/params", SampleKind::kObject}};
  return fields;
}

inline constexpr std::string_view kIntent = R"({
  "normalizedIntent":{"goal":"g","action":"create","scope":"full_task","urgency":"high"},
  "taskRelation":{"type":"different_task","confidence":0.85,"reasoning":"r"},
  "contextDependency":{"needsCurrentTaskContext":true,"needsExecutionHistory":false,"referencedEntities":["e"]}})";
inline constexpr std::string_view kRoute =
    R"({"route":"control_action","payload":{"reason":"r","requiresConfirmation":true,"controlAction":"pause"}})";
inline constexpr std::string_view kPlan = R"({"tasks":[
  {"id":"a","description":"d","dependencies":[],"requiredCapabilities":["c"],"estimatedDuration":300000},
  {"id":"b","description":"d","dependencies":["a"],"requiredCapabilities":[],"estimatedDuration":0}],
  "executionOrder":["a","b"]})";
inline constexpr std::string_view kReview =
    R"({"approved":true,"score":85,"feedback":"f","requiredFixes":["x"]})";
inline constexpr std::string_view kError =
    R"({"errorType":"context_missing","message":"m","suggestion":"s"})";
inline constexpr std::string_view kQuestion = R"({"question":"which?"})";

inline std::vector<SampleField> IntentFields() {
  return {{"/params/normalizedIntent", SampleKind::kObject},
          {"/params/normalizedIntent/goal", SampleKind::kText},
          {"/params/normalizedIntent/action",
           SampleKind::kChoice,
           true,
           {"create", "modify", "query", "cancel", "continue", "clarify"}},
          {"/params/normalizedIntent/scope",
           SampleKind::kChoice,
           true,
           {"full_task", "partial_task", "meta_control"}},
          {"/params/normalizedIntent/urgency", SampleKind::kChoice, true, {"high", "medium", "low"}},
          {"/params/taskRelation", SampleKind::kObject},
          {"/params/taskRelation/type",
           SampleKind::kChoice,
           true,
           {"same_task_no_change", "same_task_minor_change", "same_task_major_change", "different_task",
            "control_instruction"}},
          {"/params/taskRelation/confidence", SampleKind::kUnit},
          {"/params/taskRelation/reasoning", SampleKind::kString},
          {"/params/contextDependency", SampleKind::kObject},
          {"/params/contextDependency/needsCurrentTaskContext", SampleKind::kBoolean},
          {"/params/contextDependency/needsExecutionHistory", SampleKind::kBoolean},
          {"/params/contextDependency/referencedEntities", SampleKind::kStrings}};
}

inline std::vector<SampleField> RouteFields() {
  return {
      {"/params/route",
       SampleKind::kChoice,
       true,
       {"continue_execution", "minor_replan", "full_replan", "new_task", "control_action",
        "wait_user_decision"}},
      {"/params/payload", SampleKind::kObject},
      {"/params/payload/reason", SampleKind::kText},
      {"/params/payload/requiresConfirmation", SampleKind::kBoolean},
      {"/params/payload/controlAction", SampleKind::kChoice, false, {"pause", "resume", "cancel", "status"}}};
}

inline std::vector<SampleField> PlanFields() {
  return {{"/params/tasks", SampleKind::kObjects},
          {"/params/tasks/1/id", SampleKind::kName, true, {}, "TASK_ID_MISSING"},
          {"/params/tasks/0/description", SampleKind::kText},
          {"/params/tasks/1/description", SampleKind::kText},
          {"/params/tasks/0/dependencies", SampleKind::kNames, false},
          {"/params/tasks/0/requiredCapabilities", SampleKind::kTexts, false},
          {"/params/tasks/1/requiredCapabilities", SampleKind::kTexts, false},
          {"/params/tasks/0/estimatedDuration", SampleKind::kDuration, false},
          {"/params/executionOrder", SampleKind::kStrings, false}};
}

}  // namespace agenttalk
