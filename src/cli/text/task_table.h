#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace agenttalk {

// A plan's tasks for people, from what `status` answers: state, what each waits for, how long it has taken,
// tokens and cost. `now` is the time in seconds since 1970. Tasks beyond `most` rows are only counted; those
// that go on or went wrong come first then.
std::string TaskTable(const boost::json::object& status, double now, std::size_t most, bool colors);

// "1.5 s" since the task started, until it ended or now; "" before that.
std::string ElapsedText(const boost::json::object& task, double now);
// Input and output tokens together.
std::uint64_t TokensOf(const boost::json::value& tokens);

// "plan_x: running, revision 2, 3 of 7 tasks completed, 1200 tokens, 0.0031 USD".
std::string PlanLine(const boost::json::object& status);

}  // namespace agenttalk
