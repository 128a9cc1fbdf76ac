#include "cli/arguments.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"

namespace agenttalk {

void Arguments::Declare(std::string_view name) {
  values_.try_emplace(std::string(name));
}

void Arguments::Add(std::string_view name, std::string value) {
  const auto found = values_.find(name);
  CHECK(found != values_.end());
  found->second.push_back(std::move(value));
}

std::string Arguments::Get(std::string_view name) const {
  const auto& all = All(name);
  return all.empty() ? std::string() : all.front();
}

const std::vector<std::string>& Arguments::All(std::string_view name) const {
  const auto found = values_.find(name);
  CHECK(found != values_.end());
  return found->second;
}

}  // namespace agenttalk
