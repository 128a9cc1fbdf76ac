#pragma once

#include <boost/json/fwd.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/verb.h"

namespace agenttalk {

// Asks the hub that this call is about.
Result<boost::json::value> CallHub(const Invocation& call, const std::string& method,
                                   boost::json::object parameters);

// A path that was given, in full: a server has another working directory. USAGE when it is empty.
Result<std::filesystem::path> FullPath(const Invocation& call, const std::string& parameter);

// A value as a cell of a table: "" for null, lists joined by commas.
std::string CellText(const boost::json::value& value);
// A table of these members of every object in the list.
std::string ObjectTable(const boost::json::array& objects, const std::vector<std::string>& members,
                        bool colors);

}  // namespace agenttalk
