#pragma once

#include <string>

#include "cli/console.h"

namespace agenttalk {

// Shows a long text: through $PAGER (`less -FRX` without one) when stdout is a terminal, as it is otherwise.
// An empty PAGER, or one that cannot be started, means none.
void ShowPaged(Console& console, const std::string& text);

}  // namespace agenttalk
