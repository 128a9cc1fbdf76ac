#pragma once

#include <boost/json/fwd.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "model/document.h"

namespace agenttalk {

// One document that tests/data/malformed/generate.py wrote, and what it expects of it.
struct CorpusEntry {
  std::string file;  // name
  std::string text;
  DocumentKind kind = DocumentKind::kCommand;
  std::vector<std::string> codes;  // sorted, without repetition; empty: the document is valid
  std::string schema;              // "refuses", "accepts", "unasked"
  std::string why;                 // a schema cannot see it
};

// All of them, read once; throws when the directory is not there.
const std::vector<CorpusEntry>& Corpus();

// Throws when it cannot be read.
std::string ReadFile(const std::filesystem::path& path);
std::string Text(const boost::json::value& value);

}  // namespace agenttalk
