#pragma once

#include <string_view>

// Patterns over names: `*` any characters, `?` one character, `[a-z_]` one of a set, `[!…]` or `[^…]` one not
// in it. Case-sensitive, no escapes (`[*]` is a literal star); a `[` without its `]` stands for itself.
// Matching takes at most pattern length times name length steps, whatever the pattern.
namespace agenttalk {

// True if the text contains one of `* ? [`: it names a set rather than one thing.
bool IsGlob(std::string_view text);

// Plain matching of any text: agents, tasks, commands.
bool WildcardMatches(std::string_view pattern, std::string_view text);

// Matching of file names in inboxes: like WildcardMatches, but commands and messages (`cmd_`, `msg_`) and
// hidden files are never meant unless the pattern itself starts so.
bool GlobMatches(std::string_view pattern, std::string_view file_name);

// What every match starts with: "feedback_" of "feedback_*.json"; the whole text if it is no glob.
std::string_view GlobPrefix(std::string_view pattern);

}  // namespace agenttalk
