#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "model/content/content.h"

// What comes of thinking commands (docs/formats/thinking_commands.md): batches that were applied or refused,
// and what agents keep in mind while they work on a task.
namespace agenttalk {

// What is in an agent's working memory.
enum class MemoryKind : std::uint8_t {
  kDone,      // what became of the agent's own commands
  kQuestion,  // what it asked a person
  kAnswer,    // what the person said
  kMessage,   // what another agent told it
};

const char* EnumName(MemoryKind value);

struct MemoryEntry {
  MemoryKind kind = MemoryKind::kDone;
  AgentId from;
  Content text;

  bool operator==(const MemoryEntry&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("kind", self.kind), f("from", self.from), f("text", self.text);
  }
};

// A batch was checked whole and applied whole; what it changed are the events after this one.
struct ThinkingApplied {
  AgentId agent_id;  // the author; "human" is a person
  TaskId task_id;    // whose model asked for it; empty: it came from outside
  CommandId command_id;
  std::uint64_t revision = 0;      // of the plan, once it is applied
  std::vector<std::string> names;  // of the commands, in order
  Content batch;                   // the commands as JSON
  std::string reason;
  bool adopts_dag = false;  // a dag_adopted of the same revision follows

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("task_id", self.task_id), f("command_id", self.command_id);
    f("revision", self.revision), f("names", self.names), f("batch", self.batch), f("reason", self.reason);
    f("adopts_dag", self.adopts_dag);
  }
};

// A batch was refused, and nothing of it happened.
struct ThinkingRefused {
  AgentId agent_id;
  TaskId task_id;
  CommandId command_id;
  PlanId about;  // the plan it was for, where that one does not exist
  ErrorCode code = ErrorCode::kInternal;
  std::vector<std::string> errors;
  std::vector<std::string> names;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("task_id", self.task_id), f("command_id", self.command_id);
    f("about", self.about), f("code", self.code), f("errors", self.errors), f("names", self.names);
  }
};

// An agent keeps something in mind for a task, or, without one, until its next task is finished.
struct MemoryWritten {
  AgentId agent_id;
  TaskId task_id;
  CommandId command_id;  // that continues with it; empty: none waits for it
  MemoryEntry entry;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("task_id", self.task_id), f("command_id", self.command_id);
    f("entry", self.entry);
  }
};

// The agent's memory of a task, and what it knew besides, is empty again. Without an agent: everybody's.
struct MemoryCleared {
  AgentId agent_id;
  TaskId task_id;
  std::string reason;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("task_id", self.task_id), f("reason", self.reason);
  }
};

}  // namespace agenttalk
