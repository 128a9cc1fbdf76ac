#include "runtime/calls/provider_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/redact.h"
#include "base/time.h"
#include "llm/endpoint.h"
#include "llm/model_list.h"
#include "llm/wire_format.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/request/model_request.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/provider_choice.h"
#include "runtime/calls/provider_trial.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// As execvp looks for it.
bool HasProgram(const std::string& name, const Environment& environment) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0;
  std::string paths = environment("PATH").value_or("/usr/bin:/bin");
  while (true) {
    const std::size_t end = paths.find(':');
    const fs::path file = fs::path(paths.substr(0, end)) / name;
    std::error_code ignored;
    if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, ignored)) return true;
    if (end == std::string::npos) return false;
    paths.erase(0, end + 1);
  }
}

class Reporter {
 public:
  Reporter(const Team& team, const fs::path& hub, ModelAccess& access)
      : team_(team), hub_(hub), access_(access) {}

  std::vector<ProviderReport> Report(Duration patience, ReportDepth depth) {
    std::string standard = team_.config.provider;
    if (standard.empty() || !team_.config.providers.contains(standard)) standard = LookAtDefault(standard);
    for (const auto& [name, config] : team_.config.providers) LookAt({name, config});
    for (ProviderReport& report : reports_) report.is_default = report.name == standard;
    for (const auto& [id, profile] : team_.agents) {
      if (profile.runtime != AgentRuntime::kBuiltin) continue;
      const std::string& wanted = profile.provider.empty() ? standard : profile.provider;
      for (ProviderReport& report : reports_) {
        if (report.name == wanted) report.agents.push_back(id.str());
      }
    }
    AskServers(patience);
    if (depth == ReportDepth::kTry) TryAll();
    return std::move(reports_);
  }

 private:
  // The name of the default that is not configured by name; a report of it is made even if there is none.
  std::string LookAtDefault(const std::string& name) {
    auto found = ResolveProvider(team_.config, name, access_);
    if (found) {
      LookAt(*found);
      return found->name;
    }
    ProviderReport& report = reports_.emplace_back();
    configs_.emplace_back();
    report.name = "(none)";
    report.problem = std::move(found).error();
    return report.name;
  }

  void LookAt(const NamedProvider& named) {
    ProviderReport& report = reports_.emplace_back();
    report.name = named.name;
    configs_.push_back(named.config);
    report.kind = ToString(named.config.kind);
    report.model = named.config.model;
    if (IsServer(named.config.kind)) {
      LookAtServer(named.config, report);
    } else if (named.config.kind == ProviderKind::kExec) {
      LookAtProgram(named.config, report);
    } else {
      LookAtScript(named.config, report);
    }
  }

  void LookAtServer(const ProviderConfig& config, ProviderReport& report) {
    auto endpoint = FindEndpoint(config, access_.environment, hub_);
    if (!endpoint) {
      report.where = Redact(config.base_url);
      report.problem = std::move(endpoint).error();
      return;
    }
    report.model = endpoint->wire.model;
    report.where = Redact(endpoint->wire.base_url);
    report.key_source = endpoint->key_source;
    endpoints_.push_back(std::move(*endpoint));
    asked_.push_back(reports_.size() - 1);
  }

  void LookAtProgram(const ProviderConfig& config, ProviderReport& report) const {
    const std::string program = config.argv.empty() ? std::string() : config.argv.front();
    report.where = Redact(program);
    report.usable = !program.empty() && HasProgram(program, access_.environment);
    if (!report.usable) {
      report.problem =
          Error{ErrorCode::kProviderMissing, fmt::format("the program \"{}\" is not there", program),
                "install it, or write its full path into argv"};
    }
  }

  void LookAtScript(const ProviderConfig& config, ProviderReport& report) const {
    report.where = config.answers;
    report.usable = !config.answers.empty() && ::access((hub_ / config.answers).c_str(), R_OK) == 0;
    if (!report.usable) {
      report.problem = Error{ErrorCode::kProviderMissing, "its file of answers is not there",
                             "set answers: FILE, or say --answers FILE"};
    }
  }

  void AskServers(Duration patience) {
    const std::vector<ModelList> lists = ListModels(*access_.reactor, *access_.http, endpoints_, patience);
    std::vector<Endpoint> silent;  // without such a list; that is no fault by itself
    std::vector<std::size_t> silent_at;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      ProviderReport& report = reports_[asked_[i]];
      if (lists[i]) {
        report.models = *lists[i];
        CheckModel(endpoints_[i], report);
      } else if (lists[i].error().http_status == 404 || lists[i].error().http_status == 405) {
        silent.push_back(endpoints_[i]);
        silent_at.push_back(asked_[i]);
      } else {
        report.problem = Error{ErrorCode::kProviderMissing, lists[i].error().message,
                               "check base_url, the key, and whether the server runs"};
      }
    }
    if (silent.empty()) return;
    const std::vector<bool> known = KnowQuestions(*access_.reactor, *access_.http, silent, patience);
    for (std::size_t i = 0; i < silent.size(); ++i) {
      ProviderReport& report = reports_[silent_at[i]];
      report.usable = known[i];
      if (report.usable) continue;
      report.problem =
          Error{ErrorCode::kProviderMissing,
                fmt::format("the server knows no {}", Redact(MakeFormat(silent[i])->Encode({}, {}).url)),
                "check base_url; for servers like OpenAI's it usually ends with /v1"};
    }
  }

  // Aliases without a date, and Ollama's tag that is meant where none is said.
  static bool Lists(const std::vector<std::string>& models, const std::string& model) {
    return std::ranges::any_of(models, [&](const std::string& one) {
      return one == model || one == model + ":latest" || one.starts_with(model + "-20") ||
             one.ends_with("/" + model);
    });
  }

  static void CheckModel(Endpoint& endpoint, ProviderReport& report) {
    if (endpoint.needs_model) {
      if (!report.models.empty()) endpoint.wire.model = report.models.front();
      report.model = endpoint.wire.model;
    }
    report.usable = report.models.empty() || Lists(report.models, endpoint.wire.model);
    if (report.usable) return;
    report.problem =
        Error{ErrorCode::kProviderMissing,
              fmt::format("the server does not list the model {}", endpoint.wire.model),
              "set model to one that it lists; `agenttalk providers --test` shows whether it answers "
              "all the same"};
  }

  // Only what is used: every call may cost something.
  void TryAll() {
    for (std::size_t i = 0; i < reports_.size(); ++i) {
      ProviderReport& report = reports_[i];
      if (!report.is_default && report.agents.empty()) continue;
      const auto at = std::ranges::find(asked_, i);
      if (at != asked_.end()) {
        const Endpoint& endpoint = endpoints_[static_cast<std::size_t>(at - asked_.begin())];
        report.trial = TryServer(configs_[i], endpoint, access_);
      } else if (configs_[i].kind == ProviderKind::kExec && report.usable) {
        report.trial = TryProgram(configs_[i], hub_, access_);
      }
      if (!report.trial) continue;
      report.usable = report.trial->answers;
      if (report.usable) report.problem.reset();
      if (!report.usable && !report.problem) {
        report.problem = Error{ErrorCode::kProviderMissing, report.trial->error, "check its settings"};
      }
    }
  }

  const Team& team_;
  const fs::path& hub_;
  ModelAccess& access_;
  std::vector<ProviderReport> reports_;
  std::vector<ProviderConfig> configs_;  // of reports_
  std::vector<Endpoint> endpoints_;
  std::vector<std::size_t> asked_;  // endpoints_[i] belongs to reports_[asked_[i]]
};

}  // namespace

std::vector<ProviderReport> ReportProviders(const Team& team, const fs::path& hub, ModelAccess& access,
                                            Duration patience, ReportDepth depth) {
  return Reporter(team, hub, access).Report(patience, depth);
}

}  // namespace agenttalk
