#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/language.h"
#include "base/time.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/content/cost.h"
#include "model/content/cost_share.h"

// What happens to the hub as a whole: its starts, its configuration, what it has spent.
namespace agenttalk {

// The part of an agent's profile that decisions depend on; the rest stays in the profile's content.
struct AgentSettings {
  std::uint32_t max_parallel = 1;
  std::uint32_t repair_attempts = 2;
  bool external = false;
  std::optional<std::vector<AgentId>> visibility;  // absent: may send to everybody
  Content profile;
  Strategy strategy = Strategy::kSimple;
  std::vector<std::string> permissions = {};
  std::vector<std::string> capabilities = {};
  std::vector<std::string> tools = {};
  Content sops = {};  // the procedures it may follow, as JSON; empty: none

  bool operator==(const AgentSettings&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("max_parallel", self.max_parallel), f("repair_attempts", self.repair_attempts);
    f("external", self.external), f("visibility", self.visibility), f("profile", self.profile);
    f("strategy", self.strategy), f("permissions", self.permissions);
    f("capabilities", self.capabilities), f("tools", self.tools), f("sops", self.sops);
  }
};

struct HubSettings {
  std::uint32_t max_hops = 32;
  std::uint32_t max_open_questions = 100;
  std::uint32_t max_tool_rounds = 16;
  std::uint64_t budget_tokens = 0;     // per plan; 0: no limit
  std::uint64_t budget_micro_usd = 0;  // per plan; 0: no limit
  Duration question_deadline = std::chrono::hours(24);
  bool reuse = true;                       // a task whose request was answered before gets that answer again
  std::uint64_t hub_budget_tokens = 0;     // of all plans together; 0: no limit
  std::uint64_t hub_budget_micro_usd = 0;  // of all plans together; 0: no limit
  std::uint32_t max_collaboration_depth = 8;
  std::uint32_t max_collaborations = 16;   // that one command may ask for
  bool share_results = false;              // `reuse` goes beyond the plan
  Language language = Language::kEnglish;  // of what the engine itself says
  Duration approval_deadline{};            // of approvals; zero: they wait for ever
  std::string score_criteria = {};         // of a score that nobody gave any; empty: the default, in English

  bool operator==(const HubSettings&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("max_hops", self.max_hops), f("max_open_questions", self.max_open_questions);
    f("max_tool_rounds", self.max_tool_rounds), f("budget_tokens", self.budget_tokens);
    f("budget_micro_usd", self.budget_micro_usd), f("question_deadline", self.question_deadline);
    f("reuse", self.reuse), f("hub_budget_tokens", self.hub_budget_tokens);
    f("hub_budget_micro_usd", self.hub_budget_micro_usd);
    f("max_collaboration_depth", self.max_collaboration_depth);
    f("max_collaborations", self.max_collaborations), f("share_results", self.share_results);
    f("language", self.language), f("approval_deadline", self.approval_deadline);
    f("score_criteria", self.score_criteria);
  }
};

struct NodeStarted {
  std::uint64_t epoch = 0;
  std::string version;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("epoch", self.epoch), f("version", self.version);
  }
};

struct HubConfigured {
  HubSettings settings;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("settings", self.settings);
  }
};

struct AgentConfigured {
  AgentId agent_id;
  AgentSettings settings;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("settings", self.settings);
  }
};

struct AgentRemoved {
  AgentId agent_id;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id);
  }
};

// Every file that shows events up to this one is on disk and synced; of files that must not be put off, those
// up to `urgent`, where that is later.
struct MirrorSynced {
  std::uint64_t event = 0;
  std::uint64_t urgent = 0;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("event", self.event), f("urgent", self.urgent);
  }
};

// Somebody set the machine's clock. Engine time does not follow, so nothing else comes of it.
struct ClockJumped {
  std::int64_t by_ms = 0;  // negative: back

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("by_ms", self.by_ms);
  }
};

// In the hub's own stream: a plan that has ended was removed with its files. Its events are not there any
// more; contents that others name are.
struct PlanRemoved {
  PlanId plan_id;
  std::string state;
  Timestamp updated_at;  // of its last event
  std::string reason;
  std::string archive;  // where it was exported to before; empty: nowhere

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("plan_id", self.plan_id), f("state", self.state), f("updated_at", self.updated_at);
    f("reason", self.reason), f("archive", self.archive);
  }
};

// In the hub's own stream: a plan that has ended came from an archive. Its events keep their numbers.
struct PlanImported {
  PlanId plan_id;
  std::string state;
  std::uint64_t events = 0;
  std::uint64_t first_event = 0;
  std::uint64_t last_event = 0;
  Digest archive;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("plan_id", self.plan_id), f("state", self.state), f("events", self.events);
    f("first_event", self.first_event), f("last_event", self.last_event), f("archive", self.archive);
  }
};

// In the hub's own stream: what a plan that has ended cost since it was last settled. Plans that have ended
// are not loaded, and the hub's budget counts them.
struct SpendingSettled {
  PlanId plan_id;
  Cost cost;
  std::vector<CostShare> shares = {};  // who spent it with which model

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("plan_id", self.plan_id), f("cost", self.cost), f("shares", self.shares);
  }
};

}  // namespace agenttalk
