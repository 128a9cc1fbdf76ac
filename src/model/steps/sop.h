#pragma once

#include <boost/json/fwd.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/reading/checked.h"
#include "model/steps/internal_plan.h"

// A standing procedure: the steps that a kind of task always takes (docs/formats/sops.md). Agents with the
// strategy `template` or `auto` follow the first one that matches.
namespace agenttalk {

// Every kind of condition that is given must hold; of those that list several, one is enough.
struct SopMatch {
  std::vector<std::string> keywords;      // words or phrases in the command's prompt, whatever their case
  std::vector<std::string> prompts;       // globs over the whole prompt
  std::vector<std::string> tasks;         // globs over the task's id; without a task the command's
  std::vector<std::string> capabilities;  // the agent has all of these

  bool operator==(const SopMatch&) const = default;
};

struct Sop {
  std::string name;
  std::string description;
  SopMatch match;
  // By name, with what is taken when the command does not say; missing: the command must say.
  std::map<std::string, std::optional<std::string>> parameters;
  InternalPlan plan;

  bool operator==(const Sop&) const = default;
};

Checked<Sop> ReadSop(const boost::json::value& value);
Checked<Sop> ParseSop(std::string_view yaml);
boost::json::value ToJson(const Sop& sop);
// A list of them as JSON text, as an agent's configuration carries it.
std::string ToText(std::span<const Sop> sops);
std::vector<Sop> ParseSops(std::string_view text);

// A task, as far as matching goes.
struct SopSubject {
  std::string_view prompt;
  std::string_view task;
  std::span<const std::string> capabilities;
};

bool Matches(const Sop& sop, const SopSubject& subject);
// The steps with the parameters filled in: from lines `name: value` of the prompt, else the defaults.
// Nothing: the prompt does not give what has no default.
std::optional<InternalPlan> Instantiate(const Sop& sop, std::string_view prompt);

// Those that come with the program.
const std::vector<Sop>& ShippedSops();

}  // namespace agenttalk
