#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"

// What a model may ask for beside its result: `"commands": [{"command_name": …, "args": {…}}]`. Here only the
// form is read; what a command means, and who may issue it, the registry knows (engine/thinking/registry.h).
namespace agenttalk {

inline constexpr std::size_t kMostThinkingCommands = 256;                   // in one batch
inline constexpr std::size_t kLongestThinkingArgs = std::size_t{64} << 10;  // bytes of JSON of one command
inline constexpr std::size_t kLongestThinkingBatch = std::size_t{1} << 20;
inline constexpr std::size_t kLongestThinkingName = 64;

struct ThinkingCommand {
  std::string name;
  std::string args = "{}";  // the canonical JSON text of an object

  bool operator==(const ThinkingCommand&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("args", self.args);
  }
};

// Reads a list of commands. `root` is the list's own JSON Pointer. Everything that is wrong with the form is
// reported at once, but for a list that is too long, which is not looked at any further.
std::vector<ThinkingCommand> ReadThinkingCommands(const boost::json::value& list, std::string_view root,
                                                  Issues& issues);

// The inverse: the list as JSON text.
std::string ThinkingCommandsText(const std::vector<ThinkingCommand>& commands);

}  // namespace agenttalk
