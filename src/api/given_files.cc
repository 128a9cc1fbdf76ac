#include "api/given_files.h"

#include <boost/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/parameters.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "engine/turn/input.h"

namespace agenttalk {

namespace json = boost::json;

Result<std::vector<std::pair<std::string, Payload>>> GivenFiles(const json::object& parameters) {
  std::vector<std::pair<std::string, Payload>> files;
  const json::value* list = parameters.if_contains("files");
  if (list == nullptr || list->is_null()) return files;
  if (!list->is_array()) return Fail(ErrorCode::kTypeMismatch, "files must be a list");
  std::set<std::string> names;
  for (const json::value& item : list->as_array()) {
    if (!item.is_object()) return Fail(ErrorCode::kTypeMismatch, "an entry of files must be an object");
    const std::string name = TRY(Text(item.as_object(), "name"));
    if (!IsInputName(name)) {
      return Fail(ErrorCode::kNameUnsafe, "the file's name cannot be used: " + name,
                  "use letters, digits, dots, dashes and underscores");
    }
    if (!names.insert(name).second) {
      return Fail(ErrorCode::kNameUnsafe, "two files are called " + name,
                  "tasks know files by their base name: rename one");
    }
    auto bytes = DecodeBase64(TRY(OptionalText(item.as_object(), "content_base64")));
    if (!bytes) return Fail(ErrorCode::kValueInvalid, name + ": content_base64 is not base64");
    files.emplace_back(name, Payload(*std::move(bytes)));
  }
  return files;
}

}  // namespace agenttalk
