#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "mailbox/intake.h"
#include "model/command/command.h"
#include "model/events/event.h"
#include "runtime/core/core.h"

namespace agenttalk {

// Turns the files that strangers left into inputs of the core, and, once these are durable, moves the files
// to where they belong. A file that is seen again after a crash is known by its fingerprint: only the move is
// completed.
class PostOffice {
 public:
  // `restore` writes an input that was taken in, and then damaged by a power cut, anew.
  using Restore = std::function<void(const AgentId&, const PlanId&, const std::string& name)>;
  // `show` brings the files up to date with the events that are durable.
  using Show = std::function<void()>;
  // `is_remnant` knows what a crash left of an input that the engine delivered.
  using IsRemnant = std::function<bool(const FoundFile&, std::string_view bytes)>;
  PostOffice(Core& core, Intake& intake, Restore restore, Show show, IsRemnant is_remnant)
      : core_(core),
        intake_(intake),
        restore_(std::move(restore)),
        show_(std::move(show)),
        is_remnant_(std::move(is_remnant)) {}

  // Takes in what there is, as far as the core accepts it. True: there is more.
  //
  // Everything that one look finds is taken in before anything is decided about it: inputs first, then the
  // commands that waited for them, then new commands and results.
  bool TakeIn(Timestamp now);
  // When there will be something to do without a notification.
  [[nodiscard]] Timestamp wake_at() const { return wake_at_; }
  // Folders that could not be read or written, for people; each is told once.
  std::vector<std::string> TakeProblems();

 private:
  // False: there is more of the look to come.
  bool TakeLook(Timestamp now);
  // Looks once more where a command may have got an input between two lists of folders.
  bool LookAgain();
  void TakePostponed();
  // True for a file that the engine itself put there; then it has been dealt with.
  bool LeaveOwn(const FoundFile& file);
  [[nodiscard]] bool IsTornDelivery(const FoundFile& file, const CommandRecord& record) const;
  [[nodiscard]] bool AwaitsOutputs(const FoundFile& file) const;
  void TakeFound(FoundFile file);
  void TakeRefused(const RefusedFile& file);
  void TakeCommand(const FoundFile& file, std::string bytes);
  void TakeInput(const FoundFile& file, std::string bytes);
  void TakeExternal(const FoundFile& file, std::string bytes);
  void TakeResponse(const FoundFile& file, std::string bytes);
  void TakeOutput(const FoundFile& file, std::string bytes);
  void TakeAnswer(const FoundFile& file, const std::string& bytes);
  void Reject(RejectedFile rejected);

  void Dispose(const FileFingerprint& file, const PlanId& plan, const Reply& reply);
  void MoveToProcessed(const FileFingerprint& file, const PlanId& plan, std::uint64_t event);
  void MoveToDeadLetters(const FileFingerprint& file, const PlanId& plan, const Error& reason,
                         std::uint64_t event);
  void TryAgain(const FileFingerprint& file, const Error& error);

  Core& core_;
  Intake& intake_;
  Restore restore_;
  Show show_;
  IsRemnant is_remnant_;
  std::deque<FoundFile> postponed_;  // commands and results, until everything else of the look is taken in
  std::size_t looked_again_ = 0;     // this many of them have been looked again for
  int rounds_ = 0;
  bool look_over_ = true;
  Timestamp wake_at_;
  std::vector<std::string> problems_;
};

// A command that was read, as the engine takes it.
CommandFile ToCommandFile(const AgentId& agent, const Command& command, std::string body,
                          const std::vector<Issue>& warnings);

}  // namespace agenttalk
