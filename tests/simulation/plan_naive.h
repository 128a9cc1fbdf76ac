#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// A plan as plainly as it can be written: a list of tasks, changed by one command after the other. What the
// engine makes of batches that many issue at once must be what this makes of the accepted ones, one by one.
namespace agenttalk {

struct NaiveCommand {
  enum class Kind : std::uint8_t { kAppend, kReset, kReplace, kFinish };
  Kind kind = Kind::kReset;
  std::string task;
  std::vector<std::string> needs;
};

class NaivePlan {
 public:
  struct Task {
    std::vector<std::string> needs;
    std::uint32_t changes = 0;  // how often it was replaced
    bool finished = false;
  };

  // False: the batch cannot be, and nothing has changed.
  bool Apply(const std::vector<NaiveCommand>& batch);
  // The first task that is not finished, in the order in which they can be done.
  [[nodiscard]] std::optional<std::string> Current() const;

  [[nodiscard]] const std::map<std::string, Task>& tasks() const { return tasks_; }
  [[nodiscard]] const std::vector<std::string>& written() const { return written_; }
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  bool ApplyOne(const NaiveCommand& command);
  void Reset(const std::string& task);
  [[nodiscard]] std::vector<std::string> Order() const;

  std::map<std::string, Task> tasks_;
  std::vector<std::string> written_;  // in the order of their coming
  std::uint64_t revision_ = 0;
};

}  // namespace agenttalk
