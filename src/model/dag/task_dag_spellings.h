#pragma once

#include "model/dag/task_dag.h"
#include "model/reading/spelling.h"

namespace agenttalk {

inline constexpr Spellings<SelectorType, 4> kSelectorTypes{{{"by_file_name", SelectorType::kFileName},
                                                            {"by_glob", SelectorType::kGlob},
                                                            {"by_output_name", SelectorType::kOutputName},
                                                            {"by_message_type", SelectorType::kMessageType}}};

inline constexpr Spellings<PickPolicy, 4> kPickPolicies{{{"latest_by_delivered_at", PickPolicy::kLatest},
                                                         {"first_seen", PickPolicy::kFirstSeen},
                                                         {"by_sha256", PickPolicy::kBySha256},
                                                         {"highest_score", PickPolicy::kHighestScore}}};

inline constexpr Spellings<VersioningMode, 5> kVersioningModes{
    {{"immutable_by_message_id", VersioningMode::kImmutableByMessageId},
     {"keep_latest", VersioningMode::kKeepLatest},
     {"reject_on_change", VersioningMode::kRejectOnChange},
     {"overwrite_by_name", VersioningMode::kOverwriteByName},
     {"semver_tagged", VersioningMode::kSemverTagged}}};

inline constexpr Spellings<OnDependencyFailed, 4> kFailurePolicies{
    {{"SKIP", OnDependencyFailed::kSkip},
     {"BLOCK", OnDependencyFailed::kBlock},
     {"REPLAN_REQUEST", OnDependencyFailed::kReplanRequest},
     {"FALLBACK", OnDependencyFailed::kFallback}}};

}  // namespace agenttalk
