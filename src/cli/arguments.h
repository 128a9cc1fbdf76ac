#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {

// What a person gave a verb, by parameter name ("FILE", "--strict"). Asking for a name that the verb does not
// declare is a mistake of the program, not of the person.
class Arguments {
 public:
  void Declare(std::string_view name);
  void Add(std::string_view name, std::string value);

  [[nodiscard]] bool Has(std::string_view name) const { return !All(name).empty(); }
  // The first value, or "".
  [[nodiscard]] std::string Get(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& All(std::string_view name) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

}  // namespace agenttalk
