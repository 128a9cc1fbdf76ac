#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/issue.h"
#include "cli/console.h"
#include "cli/document_check.h"
#include "cli/document_kind.h"
#include "cli/exit_code.h"
#include "cli/hub_view.h"
#include "cli/issue_text.h"
#include "cli/verb.h"
#include "cli/verbs.h"

namespace agenttalk {
namespace {

std::string ForPrograms(const std::vector<DocumentCheck>& checks) {
  boost::json::array array;
  for (const DocumentCheck& check : checks) {
    array.push_back(boost::json::object{{"file", check.file},
                                        {"kind", ToString(check.kind)},
                                        {"ok", check.issues.ok()},
                                        {"errors", ToJson(check.issues.errors)},
                                        {"warnings", ToJson(check.issues.warnings)}});
  }
  return boost::json::serialize(array) + "\n";
}

std::string ForPeople(const DocumentCheck& check, bool colors) {
  const std::string verdict =
      check.issues.ok() ? Styled("ok", Style::kGreen, colors) : Styled("INVALID", Style::kRed, colors);
  std::string text = fmt::format("{} {} ({})\n", verdict, check.file, ToString(check.kind));
  for (const Issue& issue : check.issues.errors) text += ToText(issue, true, colors);
  for (const Issue& issue : check.issues.warnings) text += ToText(issue, false, colors);
  return text;
}

Result<ExitCode> Validate(const Invocation& call) {
  const auto directory = TRY(call.HubIfAny());
  std::optional<HubView> hub;
  if (directory) hub.emplace(*directory);
  const DocumentCheckOptions options{.kind = ParseDocumentKind(call.arguments.Get("--kind")),
                                     .strict = call.arguments.Has("--strict"),
                                     .hub = hub ? &*hub : nullptr};
  std::vector<DocumentCheck> checks;
  for (const std::string& file : call.arguments.All("FILE")) checks.push_back(CheckDocument(file, options));
  if (call.json) {
    call.console.Out(ForPrograms(checks));
  } else {
    for (const DocumentCheck& check : checks) call.console.Out(ForPeople(check, call.console.colors_out()));
  }
  const bool all_ok =
      std::ranges::all_of(checks, [](const DocumentCheck& check) { return check.issues.ok(); });
  return all_ok ? ExitCode::kDone : ExitCode::kInvalid;
}

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const DocumentKind kind : kDocumentKinds) names.emplace_back(ToString(kind));
  return names;
}

}  // namespace

Verb ValidateVerb() {
  return {
      .name = "validate",
      .summary = "Checks commands, DAGs, plans, profiles, configurations and agent outputs.",
      .example =
          "agenttalk validate plan.yaml cmd_001.json\nagenttalk validate --strict --json - < cmd_001.json",
      .parameters = {{.name = "FILE",
                      .takes = Takes::kMany,
                      .help = "what to check; - is standard input",
                      .completes = Completes::kFile},
                     {.name = "--strict", .help = "also refuse what an inbox would complete by itself"},
                     {.name = "--kind",
                      .takes = Takes::kValue,
                      .help = "what the files are (default: told by name and content)",
                      .value = "KIND",
                      .choices = KindNames()}},
      .run = Validate};
}

}  // namespace agenttalk
