#include "model/config/hub_config.h"

#include <string_view>

#include "model/config/hub_config_spellings.h"
#include "model/reading/spelling.h"

namespace agenttalk {

std::string_view ToString(MirrorMode mode) {
  return SpellingOf(kMirrorModes, mode);
}
std::string_view ToString(ReuseScope scope) {
  return SpellingOf(kReuseScopes, scope);
}
std::string_view ToString(PromptLanguage language) {
  return SpellingOf(kLanguages, language);
}
std::string_view ToString(PromptVia via) {
  return SpellingOf(kPromptVias, via);
}

}  // namespace agenttalk
