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
#include "base/json.h"

namespace agenttalk {

// The files of data/; made by the build.
std::span<const EmbeddedFile> EmbeddedData();

namespace {

namespace json = boost::json;

PresetTable ReadShipped() {
  const auto files = EmbeddedData();
  const auto file = std::ranges::find(files, std::string_view("presets.json"), &EmbeddedFile::path);
  CHECK(file != files.end());
  const auto document = ParseJson(file->content);  // not YAML, which takes thirty times as long
  CHECK(document.has_value() && document->is_object());
  PresetTable table;
  for (const bool program : {false, true}) {
    const json::value* section = document->get_object().if_contains(program ? "programs" : "servers");
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
  if (!program) {
    if (const json::object* server = FindIn(&PresetTable::servers_, name)) return server;
  }
  return FindIn(&PresetTable::programs_, name);
}

const json::object* PresetTable::FindIn(Presets PresetTable::* kind, std::string_view name) const {
  if (const auto added = (this->*kind).find(name); added != (this->*kind).end()) return &added->second;
  if (this == &Shipped()) return nullptr;
  return Shipped().FindIn(kind, name);
}

void PresetTable::Add(const std::string& name, bool program, json::object settings) {
  (program ? programs_ : servers_).insert_or_assign(name, std::move(settings));
}

std::vector<std::string_view> PresetTable::Names() const {
  std::vector<std::string_view> names;
  if (this != &Shipped()) names = Shipped().Names();
  for (const Presets* presets : {&servers_, &programs_}) {
    for (const auto& [name, settings] : *presets) names.push_back(name);
  }
  return names;
}

}  // namespace agenttalk
