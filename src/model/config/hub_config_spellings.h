#pragma once

#include "model/config/hub_config.h"
#include "model/reading/spelling.h"

namespace agenttalk {

inline constexpr Spellings<MirrorMode, 2> kMirrorModes{
    {{"full", MirrorMode::kFull}, {"lazy", MirrorMode::kLazy}}};
inline constexpr Spellings<ReuseScope, 3> kReuseScopes{
    {{"plan", ReuseScope::kPlan}, {"hub", ReuseScope::kHub}, {"never", ReuseScope::kNever}}};
inline constexpr Spellings<PromptLanguage, 2> kLanguages{
    {{"en", PromptLanguage::kEnglish}, {"zh", PromptLanguage::kChinese}}};
inline constexpr Spellings<PromptVia, 2> kPromptVias{
    {{"stdin", PromptVia::kStdin}, {"argv", PromptVia::kArgument}}};

}  // namespace agenttalk
