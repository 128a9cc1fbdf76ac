#include "cli/text/file_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "base/issue.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/text/issue_text.h"
#include "model/document.h"

namespace agenttalk {
namespace {

std::string ForPrograms(const std::vector<FileReport>& files) {
  boost::json::array array;
  for (const auto& [file, report] : files) {
    array.push_back(boost::json::object{{"file", file},
                                        {"kind", ToString(report.kind)},
                                        {"ok", report.issues.ok()},
                                        {"errors", ToJson(report.issues.errors)},
                                        {"warnings", ToJson(report.issues.warnings)}});
  }
  return CompactJson(array) + "\n";
}

std::string ForPeople(const FileReport& checked, bool colors) {
  const Issues& issues = checked.report.issues;
  const std::string verdict =
      issues.ok() ? Styled("ok", Style::kGreen, colors) : Styled("INVALID", Style::kRed, colors);
  std::string text = fmt::format("{} {} ({})\n", verdict, checked.file, ToString(checked.report.kind));
  for (const Issue& issue : WithoutConsequences(issues.errors)) text += ToText(issue, true, colors);
  for (const Issue& issue : issues.warnings) text += ToText(issue, false, colors);
  return text;
}

}  // namespace

ExitCode Tell(Console& console, bool json, const std::vector<FileReport>& files) {
  if (json) {
    console.Out(ForPrograms(files));
  } else {
    for (const FileReport& file : files) console.Out(ForPeople(file, console.colors_out()));
  }
  const bool all_ok =
      std::ranges::all_of(files, [](const FileReport& file) { return file.report.issues.ok(); });
  return all_ok ? ExitCode::kDone : ExitCode::kInvalid;
}

}  // namespace agenttalk
