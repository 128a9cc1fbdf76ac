#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "runtime/calls/model_access.h"
#include "runtime/team.h"

namespace agenttalk {

// How it is with one provider, for people who wonder.
struct ProviderReport {
  std::string name;
  std::string kind;
  std::string model;                // empty: not set
  std::string where;                // address, program or file
  std::string key_source;           // where its key comes from; empty: none is sent
  bool is_default = false;          // taken where an agent names none
  std::vector<std::string> agents;  // who uses it
  bool usable = false;              // everything it needs is there and, where one can ask, it answers
  std::vector<std::string> models;  // as it lists them
  std::optional<Error> problem;
};

// Looks at every configured provider and, where none is the default, at the one that the environment offers.
// Servers are asked for their models, all at once, for at most `patience`; programs and files are looked for.
// Nothing that costs money is asked.
std::vector<ProviderReport> ReportProviders(const Team& team, const std::filesystem::path& hub,
                                            ModelAccess& access, Duration patience);

}  // namespace agenttalk
