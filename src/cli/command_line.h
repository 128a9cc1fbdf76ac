#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/verb.h"

namespace agenttalk {

// Finds the verb, reads its arguments, runs it, and reports an error the way it was asked for: for people on
// `err`, with --json as {"error":{"code","message","hint"}} on `out`. `help`, `completion`
// and `man` are made here from the table and need not be in it.
ExitCode RunCommandLine(const std::vector<std::string>& words, std::span<const VerbRow> rows,
                        Console& console);

}  // namespace agenttalk
