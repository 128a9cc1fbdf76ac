#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "model/document.h"
#include "schemas/corpus.h"

namespace agenttalk {
namespace {

std::vector<std::string> Codes(const std::vector<Issue>& issues) {
  std::set<std::string> codes;
  for (const Issue& issue : issues) codes.insert(std::string(ToString(issue.code)));
  return {codes.begin(), codes.end()};
}

std::string Messages(const std::vector<Issue>& issues) {
  std::string text;
  for (const Issue& issue : issues) text += issue.path + ": " + issue.message + "\n";
  return text;
}

TEST(MalformedCorpus, EveryDocumentGivesExactlyItsCodes) {
  const std::vector<CorpusEntry>& corpus = Corpus();
  EXPECT_GE(std::ranges::count_if(corpus, [](const CorpusEntry& entry) { return !entry.codes.empty(); }),
            500);
  for (const CorpusEntry& entry : corpus) {
    const Issues issues = CheckDocumentOf(entry.kind, entry.text);
    EXPECT_EQ(Codes(issues.errors), entry.codes) << entry.file << "\n" << Messages(issues.errors);
  }
}

TEST(MalformedCorpus, EveryErrorOfAYamlTextHasItsLine) {
  for (const CorpusEntry& entry : Corpus()) {
    if (entry.kind != DocumentKind::kPlan && entry.kind != DocumentKind::kConfig) continue;
    const bool has_lines =
        entry.schema != "unasked" && entry.text.find_first_not_of("# \n") != std::string::npos;
    if (!has_lines || entry.file.find("_text_top_") != std::string::npos) continue;
    for (const Issue& issue : CheckDocumentOf(entry.kind, entry.text).errors) {
      EXPECT_GT(issue.line, 0) << entry.file << ": " << issue.message;
    }
  }
}

TEST(MalformedCorpus, TheNameOrTheFieldsTellTheKind) {
  for (const CorpusEntry& entry : Corpus()) {
    EXPECT_EQ(ToString(CheckDocument(entry.file, entry.text).kind), ToString(entry.kind)) << entry.file;
  }
}

}  // namespace
}  // namespace agenttalk
