#include "schemas/schema_validator.h"

#include <boost/json.hpp>
#include <exception>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/utils/boost_json_utils.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kRemoteUri = "http://localhost:1234/";

// What the parser fetched; freed by the callback it is given with.
const json::value* Fetch(const std::string& uri, const std::string& remotes) {
  if (remotes.empty() || !uri.starts_with(kRemoteUri)) return nullptr;
  auto document = std::make_unique<json::value>();
  const std::string path = remotes + "/" + uri.substr(kRemoteUri.size());
  return valijson::utils::loadDocument(path, *document) ? document.release() : nullptr;
}

}  // namespace

struct SchemaValidator::Schema {
  valijson::Schema schema;
  valijson::Validator validator{
      valijson::Validator::kStrongTypes};  // keeps the regular expressions it compiled
};

SchemaValidator::SchemaValidator(std::unique_ptr<Schema> schema) : schema_(std::move(schema)) {}
SchemaValidator::~SchemaValidator() = default;
SchemaValidator::SchemaValidator(SchemaValidator&&) noexcept = default;
SchemaValidator& SchemaValidator::operator=(SchemaValidator&&) noexcept = default;

std::expected<SchemaValidator, std::string> SchemaValidator::Load(const json::value& schema,
                                                                  std::string remotes) {
  auto loaded = std::make_unique<Schema>();
  try {
    valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
    const valijson::adapters::BoostJsonAdapter adapter(schema);
    parser.populateSchema(
        adapter, loaded->schema, [&](const std::string& uri) { return Fetch(uri, remotes); },
        [](const json::value* document) { delete document; });
  } catch (const std::exception& e) {
    return std::unexpected(std::string(e.what()));
  }
  return SchemaValidator(std::move(loaded));
}

std::expected<void, std::string> SchemaValidator::Validate(const json::value& value) const {
  try {
    valijson::ValidationResults results;
    if (schema_->validator.validate(schema_->schema, valijson::adapters::BoostJsonAdapter(value), &results))
      return {};
    std::string why;
    valijson::ValidationResults::Error error;
    while (results.popError(error)) {
      for (const std::string& step : error.context) why += step;
      why += ": " + error.description + "\n";
    }
    return std::unexpected(why);
  } catch (const std::exception& e) {
    return std::unexpected(std::string(e.what()));
  }
}

}  // namespace agenttalk
