#pragma once

#include <cstdint>
#include <vector>

// Which events are about each command of a plan. With it the history of one command is read from its own rows
// of the journal; a plan of 10,000 tasks need not be read whole to show one of them. An event's number is
// kept, not the event: 16 bytes for each run of events without a gap, two or three runs for most commands.
namespace agenttalk {

// Events with numbers from `first` on, without a gap.
struct EventSpan {
  std::uint64_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] std::uint64_t last() const { return first + count - 1; }
  bool operator==(const EventSpan&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("first", self.first), f("count", self.count);
  }
};

class CommandTrails {
 public:
  // `command` is its place among the plan's commands. Events come in order; the same one twice counts once.
  void Add(std::uint32_t command, std::uint64_t event);
  // Oldest first; nothing for a command that no event is about.
  [[nodiscard]] std::vector<EventSpan> Of(std::uint32_t command) const;

  // For snapshots.
  struct Link {
    std::uint64_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t before = 0;  // 1 + the place of the command's span before this one; 0: none

    bool operator==(const Link&) const = default;
    template <typename Self, typename F>
    static void Fields(Self& self, F&& f) {
      f("first", self.first), f("count", self.count), f("before", self.before);
    }
  };
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("links", self.links_), f("ends", self.ends_);
  }

 private:
  std::vector<Link> links_;
  std::vector<std::uint32_t> ends_;  // by command: 1 + the place of its last link; 0: none
};

}  // namespace agenttalk
