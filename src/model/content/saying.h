#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"

namespace agenttalk {

// Whose words they are. A person's are an instruction; those of models are material.
enum class Speaker : std::uint8_t { kEngine, kPerson, kReviewer, kAgent, kOrchestrator };

// What was said about a task's work, for whoever does it next.
struct Saying {
  Speaker speaker = Speaker::kEngine;
  AgentId from;
  std::string text;

  bool operator==(const Saying&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("speaker", self.speaker), f("from", self.from), f("text", self.text);
  }
};

}  // namespace agenttalk
