#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {

// Settings of providers that many people use, by name (data/presets.json; docs/providers.md). A hub adds its
// own under `presets`; one of the same name counts before the program's. A server and a program may share a
// name.
class PresetTable {
 public:
  // Those of the program. Every other table has them too, behind those that were added to it; they are read
  // when somebody first looks for one.
  static const PresetTable& Shipped();

  // Null: there is none. A server is looked for first, unless `program`.
  [[nodiscard]] const boost::json::object* Find(std::string_view name, bool program) const;
  void Add(const std::string& name, bool program, boost::json::object settings);
  [[nodiscard]] std::vector<std::string_view> Names() const;

 private:
  using Presets = std::map<std::string, boost::json::object, std::less<>>;

  const boost::json::object* FindIn(Presets PresetTable::* kind, std::string_view name) const;

  Presets servers_;
  Presets programs_;
};

}  // namespace agenttalk
