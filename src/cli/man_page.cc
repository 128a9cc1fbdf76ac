#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help.h"
#include "cli/verb.h"

namespace agenttalk {
namespace {

// A line that begins with a dot or a quote would be a request; a backslash begins an escape; a hyphen that is
// typed must stay a minus.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string ParameterText(const Parameter& parameter) {
  std::string name = parameter.is_option() || parameter.value.empty() ? parameter.name : parameter.value;
  const bool has_value = parameter.takes == Takes::kValue || parameter.takes == Takes::kValues;
  if (has_value) {
    std::string values = parameter.value;
    if (!parameter.choices.empty()) {
      values.clear();
      for (const std::string& choice : parameter.choices) values += (values.empty() ? "" : "|") + choice;
    }
    name += " " + values;
  }
  return fmt::format(".TP\n.B {}\n{}\n", Escaped(name), Escaped(parameter.help));
}

std::string VerbText(const Verb& verb) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n.B {}\n", Escaped(verb.name), Escaped(verb.summary),
                                 Escaped(UsageLine(verb)));
  for (const Parameter& parameter : verb.parameters) text += ParameterText(parameter);
  text += ".PP\nExample:\n.EX\n" + Escaped(verb.example) + "\n.EE\n";
  return text;
}

}  // namespace

std::string ManPage(std::span<const Verb> verbs) {
  std::string text = fmt::format(
      ".TH AGENTTALK 1 \"\" \"agenttalk {}\" \"User Commands\"\n"
      ".SH NAME\nagenttalk \\- a durable runtime for teams of LLM agents that talk through files\n"
      ".SH SYNOPSIS\n.B agenttalk\n.I VERB\n[\\fIARGUMENT\\fR]... [\\fB\\-\\-hub\\fR \\fIDIR\\fR] "
      "[\\fB\\-\\-json\\fR]\n"
      ".SH COMMON OPTIONS\n",
      AGENTTALK_VERSION);
  for (const Parameter& parameter : CommonParameters()) text += ParameterText(parameter);
  text += ".SH VERBS\n";
  for (const Verb& verb : verbs) text += VerbText(verb);
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n.B 0\ndone\n.TP\n.B 1\nthe work failed\n.TP\n.B 2\nbad usage or invalid input\n"
      ".TP\n.B 3\nwaiting for a person\n.TP\n.B 4\nthe environment: no hub, provider, disk space or "
      "permission\n"
      ".SH ENVIRONMENT\n"
      ".TP\n.B AGENTTALK_HUB\nthe hub to use\n.TP\n.B NO_COLOR\nno colours\n"
      ".TP\n.B ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_BASE_URL\nwhere models are reached when "
      "agenttalk.yaml names no provider\n";
  return text;
}

}  // namespace agenttalk
