#pragma once

#include <string>

#include "model/content/content.h"

namespace agenttalk {

struct NamedContent {
  std::string name;
  Content content;

  bool operator==(const NamedContent&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("content", self.content);
  }
};

}  // namespace agenttalk
