#pragma once

#include <boost/json/fwd.hpp>
#include <expected>
#include <memory>
#include <string>

namespace agenttalk {

// A draft 7 JSON Schema, through valijson. Its headers are slow to compile and stay in one translation unit.
class SchemaValidator {
 public:
  // `remotes` is a directory that stands for http://localhost:1234/, or "" when nothing may be fetched.
  static std::expected<SchemaValidator, std::string> Load(const boost::json::value& schema,
                                                          std::string remotes = "");

  ~SchemaValidator();
  SchemaValidator(SchemaValidator&&) noexcept;
  SchemaValidator& operator=(SchemaValidator&&) noexcept;

  // Nothing when the value fits the schema, otherwise why it does not.
  [[nodiscard]] std::expected<void, std::string> Validate(const boost::json::value& value) const;

 private:
  struct Schema;
  explicit SchemaValidator(std::unique_ptr<Schema> schema);
  std::unique_ptr<Schema> schema_;
};

}  // namespace agenttalk
