#include "schemas/corpus.h"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/document.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

std::vector<CorpusEntry> LoadCorpus() {
  const fs::path directory = AGENTTALK_CORPUS_DIR;
  std::vector<CorpusEntry> corpus;
  const boost::json::value manifest = boost::json::parse(ReadFile(directory / "manifest.json"));
  for (const boost::json::value& item : manifest.as_array()) {
    CorpusEntry entry;
    entry.file = Text(item.at("file"));
    entry.text = ReadFile(directory / entry.file);
    entry.kind = ParseDocumentKind(Text(item.at("kind"))).value();
    for (const boost::json::value& code : item.at("codes").as_array()) entry.codes.push_back(Text(code));
    entry.schema = Text(item.at("schema"));
    entry.why = Text(item.at("why"));
    corpus.push_back(std::move(entry));
  }
  return corpus;
}

}  // namespace

std::string ReadFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string Text(const boost::json::value& value) {
  return std::string(std::string_view(value.as_string()));
}

const std::vector<CorpusEntry>& Corpus() {
  static const std::vector<CorpusEntry> kCorpus = LoadCorpus();
  return kCorpus;
}

}  // namespace agenttalk
