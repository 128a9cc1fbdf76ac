#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/reading/object_reader.h"

namespace agenttalk {

// How a model is to answer. They are set for a provider, an agent and a task; the nearest to the work counts,
// each by itself. What a provider's protocol does not have is left out (docs/providers.md says which).
struct ModelParameters {
  static constexpr std::int64_t kThinkingOn = -1;

  std::uint32_t max_tokens = 0;  // 0: the provider's default
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<std::int64_t> seed;
  std::vector<std::string> stop;
  std::string reasoning_effort;          // "low", "medium", "high" …
  std::optional<std::int64_t> thinking;  // 0: off; kThinkingOn; else so many tokens at most
  std::uint32_t num_ctx = 0;             // the size of the context window; 0: the provider's default
  std::string tool_choice;               // "auto", "none", "required", or the name of a tool
  std::string extra_body;                // a JSON object: members for the request's body

  bool operator==(const ModelParameters&) const = default;
  [[nodiscard]] bool empty() const { return *this == ModelParameters{}; }
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("max_tokens", self.max_tokens);
    f("temperature", self.temperature);
    f("top_p", self.top_p);
    f("seed", self.seed);
    f("stop", self.stop);
    f("reasoning_effort", self.reasoning_effort);
    f("thinking", self.thinking);
    f("num_ctx", self.num_ctx);
    f("tool_choice", self.tool_choice);
    f("extra_body", self.extra_body);
  }
};

// What `own` sets, and what `base` sets where `own` does not; extra_body is joined by its members.
ModelParameters Over(ModelParameters own, const ModelParameters& base);

// Reads the parameters among the fields of an object.
void ReadParameters(ObjectReader& reader, ModelParameters& parameters);
// `parameters: {…}`, in which every field must be known.
void ReadParameterBlock(ObjectReader& reader, ModelParameters& parameters);
// The inverse of ReadParameters.
void AddParameters(boost::json::object& object, const ModelParameters& parameters);

// All of them as one text, and back; empty: none is set.
std::string ParametersText(const ModelParameters& parameters);
ModelParameters ParseParameters(std::string_view text);

// Those that came later than max_tokens and temperature, as one text for a content's key; empty: none is set.
std::string LaterParameters(const ModelParameters& parameters);

}  // namespace agenttalk
