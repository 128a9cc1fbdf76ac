#pragma once

namespace agenttalk {

// The calling thread works behind the others: what decides and commits goes before what shows it, when there
// are fewer processors than threads. A machine that does not allow it changes nothing.
void GiveWay();

}  // namespace agenttalk
