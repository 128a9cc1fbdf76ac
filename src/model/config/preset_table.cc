#include "model/config/preset_table.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/embedded_file.h"
#include "model/reading/yaml_document.h"

namespace agenttalk {

// The files of data/; made by the build.
std::span<const EmbeddedFile> EmbeddedData();

namespace {

namespace json = boost::json;

PresetTable ReadShipped() {
  const auto files = EmbeddedData();
  const auto file = std::ranges::find(files, std::string_view("presets.yaml"), &EmbeddedFile::path);
  CHECK(file != files.end());
  const auto document = ParseYaml(file->content);
  CHECK(document.has_value() && document->root().is_object());
  PresetTable table;
  for (const bool program : {false, true}) {
    const json::value* section = document->root().get_object().if_contains(program ? "programs" : "servers");
    CHECK(section != nullptr && section->is_object());
    for (const auto& preset : section->get_object()) {
      CHECK(preset.value().is_object());
      table.Add(std::string(preset.key()), program, preset.value().get_object());
    }
  }
  return table;
}

}  // namespace

const PresetTable& PresetTable::Shipped() {
  static const PresetTable kShipped = ReadShipped();
  return kShipped;
}

const json::object* PresetTable::Find(std::string_view name, bool program) const {
  const auto server = servers_.find(name);
  if (!program && server != servers_.end()) return &server->second;
  const auto found = programs_.find(name);
  return found == programs_.end() ? nullptr : &found->second;
}

void PresetTable::Add(const std::string& name, bool program, json::object settings) {
  (program ? programs_ : servers_).insert_or_assign(name, std::move(settings));
}

std::vector<std::string_view> PresetTable::Names() const {
  std::vector<std::string_view> names;
  for (const auto* presets : {&servers_, &programs_}) {
    for (const auto& [name, settings] : *presets) names.push_back(name);
  }
  return names;
}

}  // namespace agenttalk
