#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "cli/verb.h"

namespace agenttalk {
namespace {

// A word that can come next, and what it means.
using Choice = std::pair<std::string, std::string>;

// The words that can follow `group` ("" at the start), each once.
std::vector<Choice> NextWords(std::span<const Verb> verbs, std::string_view group) {
  std::vector<Choice> words;
  for (const Verb& verb : verbs) {
    std::string_view rest = verb.name;
    if (!group.empty()) {
      if (!rest.starts_with(fmt::format("{} ", group))) continue;
      rest.remove_prefix(group.size() + 1);
    }
    const std::string word(rest.substr(0, rest.find(' ')));
    if (std::ranges::find(words, word, &Choice::first) == words.end()) words.emplace_back(word, verb.summary);
  }
  return words;
}

// The first words of verbs that have two.
std::vector<std::string> Groups(std::span<const Verb> verbs) {
  std::vector<std::string> groups;
  for (const Verb& verb : verbs) {
    const auto space = verb.name.find(' ');
    if (space == std::string::npos) continue;
    std::string group = verb.name.substr(0, space);
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<Parameter> AllParameters(const Verb& verb) {
  std::vector<Parameter> parameters = verb.parameters;
  parameters.insert(parameters.end(), CommonParameters().begin(), CommonParameters().end());
  return parameters;
}

std::string Joined(const std::vector<Choice>& words) {
  std::string text;
  for (const auto& [word, meaning] : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

bool TakesValue(const Parameter& parameter) {
  return parameter.is_option() && parameter.takes != Takes::kFlag;
}

std::string BashGenerator(const Parameter& parameter) {
  if (!parameter.choices.empty()) return fmt::format("-W '{}'", fmt::join(parameter.choices, " "));
  if (parameter.completes == Completes::kFile) return "-f";
  if (parameter.completes == Completes::kDirectory) return "-d";
  return "-W ''";
}

std::string BashVerb(const Verb& verb) {
  std::string options;
  std::string place;
  std::string values;
  for (const Parameter& parameter : AllParameters(verb)) {
    if (!parameter.is_option()) {
      if (place.empty()) place = BashGenerator(parameter);
      continue;
    }
    options += (options.empty() ? "" : " ") + parameter.name;
    if (TakesValue(parameter)) {
      values += fmt::format("        {}) _agenttalk_offer {}; return ;;\n", parameter.name,
                            BashGenerator(parameter));
    }
  }
  return fmt::format(
      "    '{}')\n      case $previous in\n{}      esac\n      if [[ $current == -* ]]; then "
      "_agenttalk_offer -W "
      "'{}'; else _agenttalk_offer {}; fi ;;\n",
      verb.name, values, options, place.empty() ? "-W ''" : place);
}

std::string BashScript(std::span<const Verb> verbs) {
  const auto groups = Groups(verbs);
  std::string cases =
      fmt::format("    '') _agenttalk_offer -W '{} help --version' ;;\n", Joined(NextWords(verbs, "")));
  for (const std::string& group : groups) {
    cases += fmt::format("    '{}') _agenttalk_offer -W '{}' ;;\n", group, Joined(NextWords(verbs, group)));
  }
  for (const Verb& verb : verbs) cases += BashVerb(verb);
  return fmt::format(
      R"(# bash completion for agenttalk, made by: agenttalk completion bash
_agenttalk_offer() {{
  [[ $1 == -[fd] ]] && compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$@" -- "$current")
}}
_agenttalk() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      --hub) ((i++)) ;;
      -* | help) ;;
      *) verb+=${{verb:+ }}${{COMP_WORDS[i]}}
        case " {} " in *" $verb "*) ;; *) break ;; esac ;;
    esac
  done
  case $verb in
{}  esac
}}
complete -F _agenttalk agenttalk
)",
      fmt::join(groups, " "), cases);
}

// In a zsh specification brackets and colons have a meaning of their own.
std::string ZshText(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string ZshAction(const Parameter& parameter) {
  if (!parameter.choices.empty()) return fmt::format("({})", fmt::join(parameter.choices, " "));
  if (parameter.completes == Completes::kFile) return "_files";
  if (parameter.completes == Completes::kDirectory) return "_files -/";
  return " ";
}

std::string ZshVerb(const Verb& verb) {
  std::string specifications;
  for (const Parameter& parameter : AllParameters(verb)) {
    std::string spec;
    if (!parameter.is_option()) {
      spec = fmt::format("{}:{}:{}",
                         parameter.takes == Takes::kMany || parameter.takes == Takes::kAny ? "*" : "",
                         ZshText(parameter.name), ZshAction(parameter));
    } else {
      spec = fmt::format("{}{}[{}]", parameter.takes == Takes::kValues ? "*" : "", parameter.name,
                         ZshText(parameter.help));
      if (TakesValue(parameter)) spec += fmt::format(":{}:{}", parameter.value, ZshAction(parameter));
    }
    specifications += " \\\n        " + Quoted(spec);
  }
  return fmt::format("    '{}') _arguments{} ;;\n", verb.name, specifications);
}

std::string ZshWords(const std::vector<Choice>& words) {
  std::string text;
  for (const auto& [word, meaning] : words) {
    text += " " + Quoted(fmt::format("{}:{}", word, ZshText(meaning)));
  }
  return text;
}

std::string ZshScript(std::span<const Verb> verbs) {
  const auto groups = Groups(verbs);
  std::string cases =
      fmt::format("    '') next=({}); _describe verb next ;;\n", ZshWords(NextWords(verbs, "")));
  for (const std::string& group : groups) {
    cases += fmt::format("    '{}') next=({}); _describe verb next ;;\n", group,
                         ZshWords(NextWords(verbs, group)));
  }
  for (const Verb& verb : verbs) cases += ZshVerb(verb);
  return fmt::format(
      R"(#compdef agenttalk
# zsh completion for agenttalk, made by: agenttalk completion zsh
_agenttalk() {{
  local verb= i=2
  local -a next
  while (( i < CURRENT )); do
    case $words[i] in
      --hub) (( i++ )) ;;
      -*|help) ;;
      *) verb+="${{verb:+ }}$words[i]"
        case " {} " in *" $verb "*) ;; *) break ;; esac ;;
    esac
    (( i++ ))
  done
  if (( i < CURRENT )); then
    words=("$verb" "${{(@)words[i+1,-1]}}")
    (( CURRENT -= i - 1 ))
  fi
  case $verb in
{}  esac
}}
if [[ $funcstack[1] == _agenttalk ]]; then _agenttalk "$@"; else compdef _agenttalk agenttalk; fi
)",
      fmt::join(groups, " "), cases);
}

std::string FishCondition(const Verb& verb) {
  const auto space = verb.name.find(' ');
  if (space == std::string::npos) return "__fish_seen_subcommand_from " + verb.name;
  return fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                     verb.name.substr(0, space), verb.name.substr(space + 1));
}

std::string FishVerb(const Verb& verb) {
  std::string lines;
  for (const Parameter& parameter : AllParameters(verb)) {
    std::string line = fmt::format("complete -c agenttalk -n {}", Quoted(FishCondition(verb)));
    if (parameter.is_option()) line += fmt::format(" -l {}", parameter.name.substr(2));
    if (TakesValue(parameter)) line += parameter.completes == Completes::kFile ? " -r" : " -x";
    if (!parameter.choices.empty()) {
      line += fmt::format(" -a {}", Quoted(fmt::format("{}", fmt::join(parameter.choices, " "))));
    } else if (parameter.completes == Completes::kDirectory) {
      line += " -a '(__fish_complete_directories)'";
    } else if (parameter.completes == Completes::kFile) {
      line += " -F";
    } else if (!parameter.is_option()) {
      continue;  // nothing to offer
    }
    lines += fmt::format("{} -d {}\n", line, Quoted(parameter.help));
  }
  return lines;
}

std::string FishScript(std::span<const Verb> verbs) {
  std::string text =
      "# fish completion for agenttalk, made by: agenttalk completion fish\ncomplete -c agenttalk -f\n";
  for (const auto& [word, meaning] : NextWords(verbs, "")) {
    text +=
        fmt::format("complete -c agenttalk -n __fish_use_subcommand -a {} -d {}\n", word, Quoted(meaning));
  }
  for (const std::string& group : Groups(verbs)) {
    const auto words = NextWords(verbs, group);
    const std::string condition = fmt::format(
        "__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}", group, Joined(words));
    for (const auto& [word, meaning] : words) {
      text +=
          fmt::format("complete -c agenttalk -n {} -a {} -d {}\n", Quoted(condition), word, Quoted(meaning));
    }
  }
  for (const Verb& verb : verbs) text += FishVerb(verb);
  return text;
}

}  // namespace

Result<Shell> ShellNamed(std::string_view name) {
  if (name == "bash") return Shell::kBash;
  if (name == "zsh") return Shell::kZsh;
  if (name == "fish") return Shell::kFish;
  return Fail(ErrorCode::kUsage, fmt::format("no completion for the shell '{}'", name), "bash, zsh or fish");
}

std::string CompletionScript(std::span<const Verb> verbs, Shell shell) {
  switch (shell) {
    case Shell::kBash:
      return BashScript(verbs);
    case Shell::kZsh:
      return ZshScript(verbs);
    case Shell::kFish:
      return FishScript(verbs);
  }
  return {};
}

}  // namespace agenttalk
