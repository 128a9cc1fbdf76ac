// Every field of a command with every kind of wrong value: each is refused with its own code, and only once.
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/json.h"
#include "model/command/reading.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::object Valid(bool task) {
  json::object command{{"command_id", task ? "cmd_t_001" : "cmd_1"}, {"plan_id", "p"}, {"prompt", "do it"}};
  if (task) {
    command["task_id"] = "t";
    command["command_seq"] = 1;
    command["dag_ref"] = json::object{{"sha256", Sha256("dag").Hex()}};
  }
  return command;
}

// A value per JSON type, by the name that a field's list of accepted types uses.
const std::map<std::string, json::value>& Kinds() {
  static const std::map<std::string, json::value> kinds = {
      {"null", nullptr}, {"boolean", true},        {"number", 1},
      {"string", "x"},   {"array", json::array{}}, {"object", json::object{}}};
  return kinds;
}

struct TypedField {
  std::string_view key;
  std::string_view kind;
  bool task = false;
};

class WrongType : public testing::TestWithParam<TypedField> {};

TEST_P(WrongType, IsATypeMismatchAtTheField) {
  const auto& [key, kind, task] = GetParam();
  for (const auto& [name, value] : Kinds()) {
    if (name == kind) continue;
    json::object command = Valid(task);
    command[key] = value;
    const ReadCommandResult read = ReadCommand(command, CommandStrictness::kStrict);
    ASSERT_EQ(read.issues.errors.size(), 1U) << key << " " << name;
    EXPECT_EQ(read.issues.errors[0].code, ErrorCode::kTypeMismatch) << key << " " << name;
    EXPECT_EQ(read.issues.errors[0].path, "/" + std::string(key));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fields, WrongType,
    testing::Values(TypedField{"command_id", "string"}, TypedField{"plan_id", "string"},
                    TypedField{"prompt", "string"}, TypedField{"required_inputs", "array"},
                    TypedField{"wait_for_inputs", "boolean"}, TypedField{"score_required", "boolean"},
                    TypedField{"score_criteria", "string"}, TypedField{"on_complete", "object"},
                    TypedField{"on_failure", "object"}, TypedField{"timeout", "number"},
                    TypedField{"retry_times", "number"}, TypedField{"schema_version", "string"},
                    TypedField{"idempotency_key", "string"}, TypedField{"payload_hash", "string"},
                    TypedField{"priority", "number"}, TypedField{"task_id", "string", true},
                    TypedField{"command_seq", "number", true}, TypedField{"dag_ref", "object", true}),
    [](const auto& field) { return std::string(field.param.key); });

struct WrongValue {
  std::string_view key;
  ErrorCode code;
  std::vector<std::string> values;  // JSON
  bool task = false;
};

class OutOfRange : public testing::TestWithParam<WrongValue> {};

TEST_P(OutOfRange, IsRefusedWithTheCodeOfTheField) {
  const auto& [key, code, values, task] = GetParam();
  for (const std::string& text : values) {
    json::object command = Valid(task);
    command[key] = ParseJson(text).value();
    const ReadCommandResult read = ReadCommand(command, CommandStrictness::kStrict);
    ASSERT_EQ(read.issues.errors.size(), 1U) << key << " " << text;
    EXPECT_EQ(read.issues.errors[0].code, code) << key << " " << text;
    EXPECT_TRUE(read.issues.errors[0].path.starts_with("/" + std::string(key)));
  }
}

const std::vector<std::string> kNoIntegers = {"1.5", "1e300", "-1e300", "9223372036854775808",
                                              "-9223372036854775809"};

std::vector<std::string> NoIntegersAnd(std::vector<std::string> more) {
  more.insert(more.end(), kNoIntegers.begin(), kNoIntegers.end());
  return more;
}

std::vector<std::string> UnsafeNames() {
  std::vector<std::string> names = {
      R"(".")",       R"("..")",   R"("../x")",        R"("a/b")", R"("/etc/passwd")", R"("a\\b")",
      R"("a b")",     R"("a..b")", R"("-x")",          R"("_x")",  R"(".x")",          R"("a\n")",
      R"("a\u0000")", R"("名")",   R"("a:b")",         R"("~")",   R"("$HOME")",       R"("a*")",
      R"(" a")",      R"("a ")",   R"("\ud83d\ude00")"};
  names.push_back("\"" + std::string(129, 'a') + "\"");
  return names;
}

const std::vector<std::string> kBlanks = {R"("")", R"(" ")", R"("\t\r\n")", R"("\u3000")"};

INSTANTIATE_TEST_SUITE_P(
    Fields, OutOfRange,
    testing::Values(
        WrongValue{"timeout", ErrorCode::kTimeoutInvalid, NoIntegersAnd({"0", "-1", "0.5", "3155760001"})},
        WrongValue{"retry_times", ErrorCode::kRetryInvalid, NoIntegersAnd({"-1", "1001", "0.1"})},
        WrongValue{"priority", ErrorCode::kValueInvalid, NoIntegersAnd({"2147483648", "-2147483649"})},
        WrongValue{"command_seq", ErrorCode::kCommandSeqMismatch,
                   NoIntegersAnd({"0", "-1", "2", "1000000000000"}), true},
        WrongValue{"prompt", ErrorCode::kPromptEmpty, kBlanks},
        WrongValue{"command_id", ErrorCode::kCommandIdMissing, kBlanks},
        WrongValue{"plan_id", ErrorCode::kPlanIdMissing, kBlanks},
        WrongValue{"task_id", ErrorCode::kTaskIdMissing, kBlanks, true},
        WrongValue{"command_id", ErrorCode::kNameUnsafe, UnsafeNames()},
        WrongValue{"plan_id", ErrorCode::kNameUnsafe, UnsafeNames()},
        WrongValue{"task_id", ErrorCode::kNameUnsafe, UnsafeNames(), true},
        WrongValue{
            "command_id",
            ErrorCode::kCommandIdFormat,
            {R"("cmd_t")", R"("cmd_t_1")", R"("cmd_t_01")", R"("t_001")", R"("cmd_t_001a")", R"("cmd_t_1e3")",
             R"("CMD_t_001")", R"("cmd_t-001")", R"("cmd_001")", R"("cmd_t_99999999999999999999")"},
            true},
        WrongValue{"command_id",
                   ErrorCode::kCommandTaskMismatch,
                   {R"("cmd_u_001")", R"("cmd_t_t_001")", R"("cmd_T_001")"},
                   true},
        WrongValue{"idempotency_key", ErrorCode::kValueInvalid, kBlanks},
        WrongValue{"schema_version",
                   ErrorCode::kSchemaVersionUnsupported,
                   {R"("")", R"("0.9")", R"("2.0")", R"("1")", R"("1.")", R"(".1")", R"("1.0.0")",
                    R"("v1.0")", R"(" 1.0")", R"("1.0 ")", R"("-1.0")", R"("+1.0")", R"("1.x")",
                    R"("99999999999.0")", R"("latest")"}},
        WrongValue{"payload_hash",
                   ErrorCode::kPayloadHashMismatch,
                   {R"("")", R"("12")", "\"" + std::string(64, 'g') + "\"",
                    "\"" + std::string(64, '0') + "\"", "\"" + std::string(65, '0') + "\""}},
        WrongValue{
            "dag_ref",
            ErrorCode::kCommandDagMismatch,
            {"{}", R"({"revision":1})", R"({"sha256":""})", R"({"sha256":"12"})", R"({"sha256":"zz"})"},
            true},
        WrongValue{"required_inputs",
                   ErrorCode::kNameUnsafe,
                   {R"([""])", R"(["../x"])", R"(["a/b"])", R"(["/etc/*"])", R"(["x.tmp"])", R"(["*.part"])",
                    R"(["x~"])", R"([".x"])", R"([".*"])", R"(["a b"])", R"(["*\n"])", R"(["名*"])",
                    R"([{"pattern":"../*"}])"}},
        WrongValue{
            "required_inputs",
            ErrorCode::kTypeMismatch,
            {"[1]", "[null]", "[true]", "[[]]", R"([{"pattern":1}])", R"([{"pattern":"*","min":"1"}])"}},
        WrongValue{"required_inputs",
                   ErrorCode::kValueInvalid,
                   {R"([{"pattern":"*","min":0}])", R"([{"pattern":"*","min":1.5}])",
                    R"([{"pattern":"*","min":1000001}])", R"([{"pattern":"a","min":2}])"}},
        WrongValue{
            "on_complete",
            ErrorCode::kTypeMismatch,
            {R"({"message_template":1})", R"({"send_to":"a"})", R"({"send_to":[1]})", R"({"send_to":[null]})",
             R"({"send_to_condition":{}})", R"({"send_to_condition":[1]})", R"({"output_name":1})"}},
        WrongValue{"on_complete",
                   ErrorCode::kNameUnsafe,
                   {R"({"send_to":["a/b"]})", R"({"send_to":[""]})", R"({"output_name":"../x"})",
                    R"({"output_name":"cmd_x.json"})", R"({"output_name":"msg_x.json"})",
                    R"({"output_name":"x.tmp"})"}},
        WrongValue{"on_complete",
                   ErrorCode::kRoutingNoTarget,
                   {R"({"send_to_condition":[{"min_score":1,"send_to":["a"]}]})"}},
        WrongValue{"on_failure",
                   ErrorCode::kTypeMismatch,
                   {R"({"message_template":[]})", R"({"send_to":"a"})", R"({"send_to":[{}]})"}},
        WrongValue{"on_failure", ErrorCode::kNameUnsafe, {R"({"send_to":["../a"]})"}},
        WrongValue{"score_required", ErrorCode::kTypeMismatch, {R"("true")", "0", "1"}}),
    [](const auto& field) {
      return std::string(field.param.key) + "_" + std::string(ToString(field.param.code)) +
             (field.param.task ? "_task" : "");
    });

}  // namespace
}  // namespace agenttalk
