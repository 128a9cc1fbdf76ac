#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/issue.h"
#include "base/language.h"

// The commands that an agent's model, or a person, may issue. An entry is declared in one place with all that
// belongs to it; reading arguments, checking permissions, the prompt and the schema follow from it. A new
// command is a file of its own and a line in thinking_commands.h.
namespace agenttalk {

class BatchDraft;

enum class ArgumentKind : std::uint8_t {
  kText,    // not blank
  kTask,    // a task's id
  kTasks,   // a list of them; may be empty
  kAgent,   // an agent's id
  kAgents,  // one, or a list that is not empty
};

struct ArgumentSpec {
  std::string name;
  ArgumentKind kind = ArgumentKind::kText;
  std::string description;
  bool required = true;
  std::size_t longest = 4000;  // bytes of a text, items of a list
};

// Arguments that fit their specs.
class ThinkingArguments {
 public:
  [[nodiscard]] bool Has(std::string_view name) const { return values_.contains(name); }
  // The value; "" when an optional one was not given.
  [[nodiscard]] const std::string& Text(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& List(std::string_view name) const;

  void Set(std::string name, std::vector<std::string> values) {
    values_[std::move(name)] = std::move(values);
  }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

struct ThinkingSpec {
  std::string name;
  std::string signature;  // as models see it: "reset_task(task_id: str)"
  std::string description;
  std::vector<ArgumentSpec> arguments;
  // What a profile's `permissions` must name; empty: everybody may. Where a command is about another agent's
  // task, the permission's name with ":any" is needed.
  std::string permission;
  // Checks the effect and adds it to the draft; what is wrong is reported to the draft. Nothing has happened
  // when it returns: the draft is applied when every command of the batch has passed.
  std::function<void(BatchDraft&, const ThinkingArguments&)> handler;
};

class ThinkingRegistry {
 public:
  // ALREADY_EXISTS when there is one of this name; VALUE_INVALID when the declaration is incomplete.
  Result<void> Add(ThinkingSpec spec);
  // Null: there is none.
  [[nodiscard]] const ThinkingSpec* Find(std::string_view name) const;
  [[nodiscard]] const std::vector<ThinkingSpec>& all() const { return specs_; }
  // Those that somebody with these permissions may issue, in the order of registration.
  [[nodiscard]] std::vector<const ThinkingSpec*> AllowedFor(
      const std::vector<std::string>& permissions) const;
  // A name that is near to this one; empty: none is.
  [[nodiscard]] std::string NearestTo(std::string_view name) const;

 private:
  std::vector<ThinkingSpec> specs_;
};

// Whether permissions of a profile cover a command; on another's task, where that matters.
bool MayIssue(const ThinkingSpec& spec, const std::vector<std::string>& permissions, bool on_others_task);

// Reads the JSON text of `args`. `root` is their JSON Pointer.
ThinkingArguments ReadThinkingArguments(const ThinkingSpec& spec, std::string_view args,
                                        const std::string& root, std::vector<Issue>& errors);

// The schema of `args` (draft 7), as JSON text.
std::string ArgumentSchema(const ThinkingSpec& spec);

// Numbered entries "1. signature:\ndescription", for a prompt.
std::string PrepareCommandPrompt(const std::vector<const ThinkingSpec*>& commands,
                                 Language language = Language::kEnglish);

}  // namespace agenttalk
