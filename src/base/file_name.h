#pragma once

#include <string_view>

namespace agenttalk {

// Files that are not complete yet or not meant for us: `.x`, `x.tmp`, `x.part`, `x~`.
bool IsIgnoredFileName(std::string_view name);

// A name under which an input can arrive: safe as part of a path, and not one that is ignored.
bool IsInputName(std::string_view name);

// An input name or a glob over such names: the same characters plus `* ? [ ] ! ^`, no directory.
bool IsInputPattern(std::string_view pattern);

// A name that a result may be given. Not `cmd_…` or `msg_…`: delivered to an inbox it would be taken for a
// command or a message, and what a model answers must not become either.
bool IsOutputName(std::string_view name);

}  // namespace agenttalk
