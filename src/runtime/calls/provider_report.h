#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/provider_trial.h"
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
  std::optional<ProviderTrial> trial;  // what it was seen to do, where it was tried
};

enum class ReportDepth : std::uint8_t {
  kLook,  // nothing that costs money
  kTry,   // the providers that are used make one or two tiny calls
};

// Looks at every configured provider and, where none is the default, at the one that the environment offers.
// Servers are asked for their models, all at once, for at most `patience`; programs and files are looked for.
// A server that lists models must list the configured one; where it has no list, the address that questions
// go to must be known to it.
std::vector<ProviderReport> ReportProviders(const Team& team, const std::filesystem::path& hub,
                                            ModelAccess& access, Duration patience, ReportDepth depth);

}  // namespace agenttalk
