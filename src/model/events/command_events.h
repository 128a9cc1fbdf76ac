#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/command/command.h"
#include "model/command/sent_command.h"
#include "model/content/content.h"
#include "model/content/file_fingerprint.h"
#include "model/content/named_content.h"
#include "model/request/answer_contract.h"

// What happens to a command and to the files it works with (engine/command/flow.h).
namespace agenttalk {

// An input as a command got it: the version is fixed by its digest from then on.
struct BoundInput {
  std::string name;
  Content content;
  std::uint32_t hops = 0;

  bool operator==(const BoundInput&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("content", self.content), f("hops", self.hops);
  }
};

// Whose command it is: what its contract is, and what its end leads to.
enum class OwnerKind : std::uint8_t {
  kUnrecorded,     // written before owners were; the fold derives it
  kOpenPlan,       // a person or program sent it to a plan without tasks
  kTask,           // of a plan's DAG
  kStage,          // one of the stages that lead a goal to tasks
  kCollaboration,  // another agent asks for it
};

struct CommandReceived {
  AgentId agent_id;
  Command command;  // without its texts, which are in the brief
  Digest payload;
  Content body;   // the command's JSON as it was taken in
  Content brief;  // a CommandBrief: what the model is asked
  Timestamp wait_until;
  std::optional<FileFingerprint> source;
  std::vector<std::string> warnings;
  OwnerKind owner = OwnerKind::kUnrecorded;

  std::uint32_t hops = 0;  // how many commands led to this one, each sent by the one before

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("command", self.command), f("payload", self.payload),
        f("body", self.body), f("wait_until", self.wait_until), f("brief", self.brief);
    f("source", self.source), f("warnings", self.warnings), f("owner", self.owner);
    f("hops", self.hops);
  }
};

// The same key and payload came again: nothing is executed.
struct CommandRepeated {
  CommandId command_id;
  AgentId agent_id;
  std::optional<FileFingerprint> source;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("agent_id", self.agent_id), f("source", self.source);
  }
};

// A named file is in an agent's inbox. In the hub's stream it counts for every open plan of the agent.
struct InputArrived {
  AgentId agent_id;
  std::string name;
  Content content;
  AgentId from;  // empty: a stranger
  CommandId from_command;
  std::uint32_t hops = 0;
  std::optional<FileFingerprint> source;
  bool tagged = false;  // a version under a name of its own, which no glob means

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("name", self.name), f("content", self.content), f("from", self.from);
    f("from_command", self.from_command), f("hops", self.hops), f("source", self.source);
    f("tagged", self.tagged);
  }
};

// An external agent left a named file in its outbox; it goes with the agent's next result in the plan.
struct OutputFound {
  AgentId agent_id;
  std::string name;
  Content content;
  std::optional<FileFingerprint> source;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("name", self.name), f("content", self.content), f("source", self.source);
  }
};

struct CommandReadied {
  CommandId command_id;
  std::vector<BoundInput> inputs;
  std::vector<std::string> missing;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("inputs", self.inputs), f("missing", self.missing);
  }
};

struct AttemptStarted {
  CommandId command_id;
  std::uint32_t attempt = 0;
  Timestamp deadline;
  Content delivered = {};  // what an external agent finds in its inbox; empty: the command's body
  std::optional<AnswerContract> contract = {};  // of what an external agent brings

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("attempt", self.attempt), f("deadline", self.deadline);
    f("delivered", self.delivered);
    f("contract", self.contract);
  }
};

struct AttemptFailed {
  CommandId command_id;
  std::uint32_t attempt = 0;
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  Timestamp retry_at;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("attempt", self.attempt), f("code", self.code);
    f("message", self.message), f("retry_at", self.retry_at);
  }
};

struct CommandSucceeded {
  CommandId command_id;
  Content result;
  std::optional<double> score;
  std::string score_explanation;
  std::vector<NamedContent> outputs;
  std::optional<FileFingerprint> source;   // an external agent's result file
  bool reused = false;                     // an answer that was recorded before
  Digest reuse_key;                        // of that answer
  std::vector<SentCommand> commands = {};  // for other tasks; routed when the result counts
  std::vector<NamedContent> beside = {};   // of a task: files that it does not declare

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("result", self.result), f("score", self.score);
    f("score_explanation", self.score_explanation), f("outputs", self.outputs), f("source", self.source);
    f("reused", self.reused), f("reuse_key", self.reuse_key), f("commands", self.commands);
    f("beside", self.beside);
  }
};

// A command whose pause (a retry's delay, a person's answer) is over waits for its agent again.
struct CommandRequeued {
  CommandId command_id;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id);
  }
};

enum class EndState : std::uint8_t { kFailed, kTimedOut, kCancelled, kSuperseded };

struct CommandEnded {
  CommandId command_id;
  EndState state = EndState::kFailed;
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("state", self.state), f("code", self.code),
        f("message", self.message);
  }
};

}  // namespace agenttalk
