#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Texts with `{name}` in them. One pass: what comes in through a value is never looked at again, so a result
// that contains "{score}" stays as the model wrote it.
namespace agenttalk {

// What surrounds a variable; prompt files use {"{{", "}}"}.
struct TemplateBraces {
  std::string_view open = "{";
  std::string_view close = "}";
};

using TemplateValues = std::vector<std::pair<std::string_view, std::string_view>>;

struct Expansion {
  std::string text;
  std::vector<std::string> unknown;  // each once, in order; they stay in the text as written
};

// Names are `[A-Za-z_][A-Za-z0-9_]*`; braces around anything else are ordinary text.
Expansion ExpandTemplate(std::string_view text, const TemplateValues& values, TemplateBraces braces = {});

// The variables a template uses, each once, in order.
std::vector<std::string> TemplateVariables(std::string_view text, TemplateBraces braces = {});

}  // namespace agenttalk
