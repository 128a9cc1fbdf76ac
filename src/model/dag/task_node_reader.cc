#include "model/dag/task_node_reader.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/config/model_parameters.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_dag_spellings.h"
#include "model/reading/object_reader.h"

namespace agenttalk {
namespace {

constexpr NumberRange kScoreRange{.min = 0, .max = 100};
constexpr IntegerRange kRetryRange{.min = 0, .max = kMaxRetryTimes};
constexpr IntegerRange kMinRange{.min = 1, .max = 1'000'000};
constexpr const char* kInputHint =
    "letters, digits, '.', '_' and '-', starting with a letter or digit, at most 128";

constexpr const char* kOutputHint =
    "letters, digits, '.', '_' and '-'; not cmd_…, msg_… nor an ending of unfinished files";

constexpr const char* kGateHint = "gate: human (a person approves), or the name of an output";
constexpr std::size_t kLongestQuote = 40;

std::string NotAnInput(std::string_view text) {
  return fmt::format("\"{}\" is not a file name or glob", Utf8Prefix(text, kLongestQuote));
}

std::string NotAnOutput(std::string_view text) {
  return fmt::format("\"{}\" is not a name for an output", Utf8Prefix(text, kLongestQuote));
}

class NodeReader {
 public:
  NodeReader(ObjectReader& reader, NodeDialect dialect, NodeSource& source)
      : reader_(reader), is_plan_(dialect == NodeDialect::kPlanFile), source_(source) {}

  TaskNode Read() {
    ReadIdentity();
    ReadPrompt();
    source_.depends_on.key = Pick("needs", "depends_on");
    source_.depends_on.is_list = !ReadNames(reader_, source_.depends_on.key, node_.depends_on);
    ReadInputs();
    ReadOutputs();
    ReadScore();
    ReadPolicy();
    ReadGates();
    ReadTimes();
    return std::move(node_);
  }

 private:
  // The key that is there, of a short and a long spelling; both at once is an error.
  std::string_view Pick(std::string_view short_key, std::string_view long_key) {
    if (!is_plan_) return long_key;
    return reader_.Has(long_key) ? OneOfTwo(short_key, long_key) : short_key;
  }
  std::string_view OneOfTwo(std::string_view first, std::string_view second) {
    const bool both = reader_.Has(first) && reader_.Has(second);
    if (both) {
      reader_.Error(second, ErrorCode::kValueInvalid, fmt::format("\"{}\" says this already", first),
                    "remove one");
    }
    return reader_.Has(first) ? first : second;
  }

  // True when it was a single name.
  template <typename Tag>
  bool ReadNames(ObjectReader& reader, std::string_view key, std::vector<Id<Tag>>& names) const {
    const boost::json::value* value = reader.Value(key);
    const bool is_single = is_plan_ && value != nullptr && value->is_string();
    if (!is_single) {
      reader.Names(key, names);
      return false;
    }
    Id<Tag> name;
    if (reader.Name(key, name)) names = {std::move(name)};
    return true;
  }

  // Calls `read_text` for a text and `read_object` for an object, of a list or (in plans) of a single value.
  template <typename Text, typename Object>
  void ReadItems(SourceField& field, const Text& read_text, const Object& read_object);

  void ReadIdentity();
  void ReadPrompt();
  void ReadInputs();
  static void ReadInput(ObjectReader& reader, TaskInput& input);
  static void ReadSelector(ObjectReader& reader, TaskInput& input);
  void ReadOutputs();
  void ReadOutput(ObjectReader& reader, TaskOutput& output);
  static void ReadVersioning(ObjectReader& reader, TaskOutput& output);
  static void ReadWhen(ObjectReader& reader, TaskOutput& output);
  void ReadScore();
  void ReadPolicy();
  void ReadGates();
  void ReadTimes();

  ObjectReader& reader_;
  bool is_plan_;
  NodeSource& source_;
  TaskNode node_;
};

template <typename Text, typename Object>
void NodeReader::ReadItems(SourceField& field, const Text& read_text, const Object& read_object) {
  const boost::json::value* value = reader_.Value(field.key);
  if (value == nullptr) return;
  const auto error_at_key = [&](ErrorCode code, std::string message, std::string hint) {
    reader_.Error(field.key, code, std::move(message), std::move(hint));
  };
  if (is_plan_ && value->is_string()) {
    field.is_list = false;
    std::string text;
    if (reader_.String(field.key, text)) read_text(std::move(text), error_at_key);
    return;
  }
  if (is_plan_ && value->is_object()) {
    field.is_list = false;
    reader_.Object(field.key, read_object);
    return;
  }
  reader_.Items(field.key, [&](ItemReader& item) {
    if (item.IsObject()) {
      item.Object(read_object);
      return;
    }
    std::string text;
    if (!item.String(text)) return;
    read_text(std::move(text), [&item](ErrorCode code, std::string message, std::string hint) {
      item.Error(code, std::move(message), std::move(hint));
    });
  });
}

void NodeReader::ReadIdentity() {
  source_.task_id.key = Pick("id", "task_id");
  reader_.Name(Field(source_.task_id.key).Required(ErrorCode::kTaskIdMissing), node_.task_id);
  reader_.String("name", node_.name);
  source_.agent.key = Pick("agent", "assigned_agent_id");
  reader_.Name(Field(source_.agent.key).Required().Hint("say which agent does it"), node_.assigned_agent_id);
}

void NodeReader::ReadPrompt() {
  const std::string_view key = reader_.Has("instruction") ? OneOfTwo("instruction", "prompt") : "prompt";
  reader_.Text(Field(key).Required(ErrorCode::kPromptEmpty).Hint("say what the agent is to do"),
               node_.prompt);
}

void NodeReader::ReadInputs() {
  source_.inputs.key = reader_.Has("inputs") ? OneOfTwo("inputs", "required_inputs") : "required_inputs";
  ReadItems(
      source_.inputs,
      [this](std::string text, const auto& error) {
        if (!IsInputPattern(text)) {
          error(ErrorCode::kNameUnsafe, NotAnInput(text), kInputHint);
        }
        // Kept even if it is refused, so that positions stay those of the text.
        node_.inputs.push_back(PlainInput(std::move(text)));
      },
      [this](ObjectReader& reader) {
        TaskInput input;
        ReadInput(reader, input);
        node_.inputs.push_back(std::move(input));
      });
}

void NodeReader::ReadInput(ObjectReader& reader, TaskInput& input) {
  const std::size_t errors = reader.issues().errors.size();
  const bool is_pattern = reader.Has("pattern") && !reader.Has("name");
  const std::string_view key = is_pattern ? "pattern" : "name";
  std::string name;
  if (!reader.Text(Field(key).Required(), name)) return;
  if (!IsInputPattern(name)) reader.Error(key, ErrorCode::kNameUnsafe, NotAnInput(name), kInputHint);
  input = PlainInput(std::move(name));
  if (!is_pattern) {
    reader.Object("selector", [&](ObjectReader& selector) { ReadSelector(selector, input); });
    reader.Boolean("required", input.required);
    reader.Choice<PickPolicy>("pick_policy", kPickPolicies, input.pick_policy);
  }
  reader.Integer("min", kMinRange, input.min);
  const bool is_exact =
      input.selector == SelectorType::kFileName || input.selector == SelectorType::kOutputName;
  if (input.min > 1 && is_exact && reader.issues().errors.size() == errors) {
    reader.Error("min", ErrorCode::kValueInvalid,
                 fmt::format("one name can never be met by {} files", input.min),
                 "write a glob, or leave min out");
  }
}

void NodeReader::ReadSelector(ObjectReader& reader, TaskInput& input) {
  const bool has_type = reader.Choice<SelectorType>(Field("type").Required(), kSelectorTypes, input.selector);
  std::string value = input.name;
  reader.Text("value", value);
  if (!has_type) return;
  const bool is_exact =
      input.selector == SelectorType::kFileName || input.selector == SelectorType::kOutputName;
  const bool is_glob = input.selector == SelectorType::kGlob;
  if ((is_exact && !IsInputName(value)) || (is_glob && !IsInputPattern(value))) {
    reader.Error("value", ErrorCode::kNameUnsafe,
                 fmt::format("\"{}\" is not a {}", value, is_glob ? "glob" : "file name"), kInputHint);
    return;
  }
  input.value = std::move(value);
}

void NodeReader::ReadOutputs() {
  ReadItems(
      source_.outputs,
      [this](std::string text, const auto& error) {
        if (!IsOutputName(text)) {
          error(ErrorCode::kNameUnsafe, NotAnOutput(text), kOutputHint);
        }
        node_.outputs.emplace_back().name = std::move(text);
      },
      [this](ObjectReader& reader) {
        TaskOutput output;
        ReadOutput(reader, output);
        node_.outputs.push_back(std::move(output));
      });
}

void NodeReader::ReadOutput(ObjectReader& reader, TaskOutput& output) {
  if (reader.Text(Field("name").Required(), output.name) && !IsOutputName(output.name)) {
    reader.Error("name", ErrorCode::kNameUnsafe, NotAnOutput(output.name), kOutputHint);
  }
  reader.String("content_type", output.content_type);
  const bool is_short = is_plan_ && reader.Has("to");
  if (is_short && reader.Has("deliver_to")) {
    reader.Error("deliver_to", ErrorCode::kValueInvalid, "\"to\" says this already", "remove one");
  }
  const std::string_view key = is_short ? "to" : "deliver_to";
  const bool is_single = ReadNames(reader, key, output.deliver_to);
  source_.receivers.resize(node_.outputs.size(), {"deliver_to"});
  source_.receivers.push_back({key, !is_single});
  reader.Boolean("deliverable", output.deliverable);
  reader.Text("idempotency_key", output.idempotency_key);
  ReadWhen(reader, output);
  ReadVersioning(reader, output);
}

void NodeReader::ReadWhen(ObjectReader& reader, TaskOutput& output) {
  reader.Object("when", [&](ObjectReader& when) {
    ScoreRange range;
    double score = 0;
    if (when.Number("min_score", kScoreRange, score)) range.min_score = score;
    if (when.Number("max_score", kScoreRange, score)) range.max_score = score;
    if (range.min_score && range.max_score && *range.min_score > *range.max_score) {
      when.Error("min_score", ErrorCode::kValueInvalid, "is above max_score: this is never delivered");
    }
    output.when = range;
  });
}

void NodeReader::ReadVersioning(ObjectReader& reader, TaskOutput& output) {
  reader.Object("versioning", [&](ObjectReader& object) {
    Versioning versioning;
    object.Choice<VersioningMode>("mode", kVersioningModes, versioning.mode);
    object.String("conflict_policy", versioning.conflict_policy);
    output.versioning = std::move(versioning);
  });
}

void NodeReader::ReadScore() {
  const boost::json::value* value = reader_.Value("score");
  if (value == nullptr) return;
  TaskScore score;
  if (is_plan_ && value->is_string()) {
    if (reader_.Text("score", score.criteria)) node_.score = std::move(score);
    return;
  }
  reader_.Object("score", [&](ObjectReader& object) {
    object.Boolean("required", score.required);
    object.Text("criteria", score.criteria);
    double pass = 0;
    if (object.Number("pass", kScoreRange, pass)) score.pass = pass;
    const bool is_short = is_plan_ && object.Has("rework");
    if (is_short && object.Has("max_rework")) {
      object.Error("max_rework", ErrorCode::kValueInvalid, "\"rework\" says this already", "remove one");
    }
    object.Integer(is_short ? "rework" : "max_rework", kRetryRange, score.max_rework);
    node_.score = score;
  });
}

void NodeReader::ReadPolicy() {
  reader_.Object("failure_policy", [this](ObjectReader& object) {
    FailurePolicy& policy = node_.failure_policy;
    object.Choice<OnDependencyFailed>("on_dependency_failed", kFailurePolicies, policy.on_dependency_failed);
    object.Integer("max_reexecute_times", kRetryRange, policy.max_reexecute_times);
    Field fallback("fallback_task_id");
    if (policy.on_dependency_failed == OnDependencyFailed::kFallback) fallback = fallback.Required();
    object.Name(fallback, policy.fallback_task_id);
  });
}

void NodeReader::ReadGates() {
  source_.gates.key = Pick("gate", "gates");
  const boost::json::value* value = reader_.Value(source_.gates.key);
  if (value == nullptr) return;
  TaskGates gates;
  const bool is_short = source_.gates.key == "gate";
  if (is_short && value->is_string()) {
    std::string evidence;
    if (reader_.Name("gate", evidence)) gates.evidence_required = {std::move(evidence)};
  } else if (is_short && value->is_array()) {
    reader_.Names("gate", gates.evidence_required);
  } else {
    if (is_short && !value->is_object()) {
      reader_.Error("gate", ErrorCode::kTypeMismatch, "a gate names what must be there", kGateHint);
      return;
    }
    reader_.Object(source_.gates.key, [&](ObjectReader& object) {
      if (is_short && object.Has("human")) {
        object.Error("human", ErrorCode::kValueInvalid, "a person's approval is not written as a key",
                     kGateHint);
      }
      object.Boolean("required", gates.required);
      object.Names("evidence_required", gates.evidence_required);
      object.Object("thresholds", [&](ObjectReader& thresholds) {
        for (const auto& member : thresholds.object()) {
          const std::string_view name = member.key();
          double threshold = 0;
          if (thresholds.Number(name, {}, threshold)) gates.thresholds.emplace(name, threshold);
        }
      });
    });
  }
  node_.gates = std::move(gates);
}

void NodeReader::ReadTimes() {
  constexpr IntegerRange kSeconds{.min = 1, .max = kMaxTimeoutSeconds};
  const Field timeout = Field("timeout").Invalid(ErrorCode::kTimeoutInvalid);
  std::int64_t seconds = 0;
  if (!is_plan_) {
    if (reader_.Integer(timeout, kSeconds, seconds)) node_.timeout = std::chrono::seconds(seconds);
  } else if (Duration period{}; reader_.Period(timeout, period)) {
    node_.timeout = std::chrono::ceil<std::chrono::seconds>(period);
    if (period <= Duration::zero() || period > std::chrono::seconds(kMaxTimeoutSeconds)) {
      reader_.Error("timeout", ErrorCode::kTimeoutInvalid,
                    "must be more than nothing and at most a hundred years");
    }
  }
  reader_.Integer(Field(Pick("retry", "retry_times")).Invalid(ErrorCode::kRetryInvalid), kRetryRange,
                  node_.retry_times);
  reader_.Text("model", node_.model);
  ModelParameters parameters;
  ReadParameterBlock(reader_, parameters);
  node_.parameters = ParametersText(parameters);
}

}  // namespace

TaskNode ReadTaskNode(ObjectReader& reader, NodeDialect dialect, NodeSource& source) {
  return NodeReader(reader, dialect, source).Read();
}

void ReadNodes(ObjectReader& reader, std::string_view key, NodeDialect dialect, const DagContext& context,
               TaskDag& dag, DagSource& source) {
  source.nodes_key = key;
  const boost::json::value* nodes = reader.Value(Field(key).Required());
  if (nodes == nullptr) return;
  if (nodes->is_array() && nodes->get_array().size() > context.max_nodes) {
    reader.Error(
        key, ErrorCode::kTooLarge,
        fmt::format("{} tasks; at most {} are allowed", nodes->get_array().size(), context.max_nodes),
        "split the plan");
    return;
  }
  reader.Items(key, [&](ItemReader& item) {
    NodeSource& node_source = source.nodes.emplace_back();
    TaskNode& node = dag.nodes.emplace_back();
    item.Object([&](ObjectReader& object) { node = ReadTaskNode(object, dialect, node_source); });
  });
}

}  // namespace agenttalk
